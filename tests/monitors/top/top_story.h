#pragma once

#include <chrono>
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <utility>

#include "monitors/top/looker.h"
#include "monitors/top/model.h"
#include "pathmaps/plan/plan.h"
#include "pathmaps/plan/plan_names.h"

namespace eventspace::testing_commands {

/// Makes the samples of an application without processes, sockets or clocks. A tick is a nanosecond; times
/// are in milliseconds since the start. Every process runs unless a test says otherwise.
class TopStory {
 public:
  TopStory(Plan plan, const std::string& scope);

  TopStory& at(std::int64_t ms) {
    now_ms_ = ms;
    return *this;
  }
  /// `path` of `thread` has had `events` events; the last ended at `ended_ms` and took `took_us`.
  TopStory& counted(const std::string& thread, const std::string& path, std::uint64_t events,
                    std::int64_t ended_ms, std::int64_t took_us = 1000);
  TopStory& in_flight(const std::string& thread, const std::string& path, std::int64_t since_ms);
  TopStory& no_more_in_flight() {
    in_flight_.clear();
    return *this;
  }
  TopStory& used(const std::string& thread, std::int64_t cpu_ms, char state = 'S');
  TopStory& started_anew(const std::string& process);
  TopStory& silent(const std::string& node);
  TopStory& lost(std::uint64_t torn) {
    torn_ = torn;
    return *this;
  }
  TopStory& took(const std::string& part, std::chrono::nanoseconds time);
  TopStory& server(const std::string& node, top::ServerSample sample);

  const top::State& look();
  const top::ThreadState& thread(const std::string& name) const;

  [[nodiscard]] const Plan& plan() const { return *plan_; }
  [[nodiscard]] const PlanNames& names() const { return names_; }
  [[nodiscard]] const top::Model& model() const { return model_; }
  [[nodiscard]] const top::State& state() const { return model_.state(); }

 private:
  [[nodiscard]] std::pair<std::uint32_t, std::uint32_t> numbers(const std::string& thread,
                                                                const std::string& path) const;
  [[nodiscard]] bool is_silent(NodeIndex node) const;
  void add_processes(View& view) const;

  std::shared_ptr<const Plan> plan_;
  NamesOfPlan names_;
  top::Model model_;
  std::int64_t now_ms_{0};
  std::map<std::pair<std::uint32_t, std::uint32_t>, EventRecord> last_, in_flight_;
  std::map<std::uint32_t, std::pair<std::int64_t, char>> cpu_;
  std::map<std::size_t, int> runs_;
  std::vector<std::string> silent_;
  std::uint64_t torn_{0};
  std::vector<LevelTime> times_;
  std::map<std::size_t, top::ServerSample> servers_;
  std::uint64_t looks_{0};
};

}  // namespace eventspace::testing_commands
