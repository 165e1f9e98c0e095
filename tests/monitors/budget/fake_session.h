#pragma once

#include <algorithm>
#include <chrono>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include <eventspace/error.h>
#include "collectors/record_header.h"
#include "monitors/budget/budgeted_session.h"
#include "scopes/tree/local_ids.h"

namespace eventspace {

/// An application without processes: one thread and one trace element of each process, whose records have the
/// classes in turn in proportion to their rates, and switches like the ones in control files.
class FakeSession final : public BudgetedSession {
 public:
  struct Process {
    std::int32_t pid{0};
    RunState state{RunState::running};
    std::map<std::uint8_t, double> rates{};  ///< events a second of operations, by class
    CollectSwitch collecting{};
    std::map<std::uint8_t, double> latest{};  ///< records of the last pass
    double recorded{0};
    std::uint8_t newest{1};
    double cpu{0};
  };
  static constexpr std::uint8_t operation_kind_number = 1;

  Process& add(std::uint32_t number, std::int32_t pid, std::map<std::uint8_t, double> rates) {
    Process& process = processes[number];
    process.pid = pid;
    process.rates = std::move(rates);
    return process;
  }
  void pass(double seconds) {
    now_ += std::chrono::nanoseconds(static_cast<std::int64_t>(seconds * 1e9));
    watching_ += seconds * 0.001;
    for (auto& [number, process] : processes) {
      process.cpu += seconds;
      for (const auto& [of, rate] : process.rates) {
        const std::uint32_t period = process.collecting.period(operation_kind_number, of);
        process.latest[of] = period == 0 ? 0 : rate * seconds / period;
        process.recorded += process.latest[of];
      }
    }
  }

  [[nodiscard]] const std::string& name() const override { return name_; }
  [[nodiscard]] const PlanNames& names() const override { return names_; }
  std::chrono::steady_clock::time_point now() override { return now_; }
  std::chrono::nanoseconds watching_cpu() override {
    return std::chrono::nanoseconds(static_cast<std::int64_t>(watching_ * 1e9));
  }
  View look() override {
    View view;
    ++looks_;
    if (!fault.empty()) throw EnvironmentError(fault);
    for (auto& [number, process] : processes) {
      if (late.contains(number)) {
        view.missing.push_back({"n", "server of node n", MissingCause::no_answer, "", 1});
        continue;
      }
      const std::uint32_t thread = *local_ids_of(number);
      ProcessReport report;
      report.process = number;
      report.pid = process.pid;
      report.start_ticks = static_cast<std::uint64_t>(process.pid);
      report.state = process.state;
      report.collecting = process.collecting.state();
      report.threads = {{thread, process.pid, 'R', static_cast<std::uint64_t>(process.cpu * 1e9)}};
      view.processes.push_back(report);
      if (const auto record = newest(process, thread)) view.records.push_back(*record);
    }
    return view;
  }
  Outcome carry_out(const PeriodOrder& order) override {
    orders.push_back(order);
    Outcome outcome;
    for (const ProcessRun& run : order.runs) {
      const auto found = processes.find(run.process);
      if (found == processes.end()) continue;
      if (const auto why = refusals.find(run.process); why != refusals.end()) {
        outcome.refused.push_back(run);
        outcome.refusal = why->second;
        continue;
      }
      if (is_deaf) {
        outcome.refusal = "its server does not answer";
        continue;
      }
      found->second.collecting.set(order.of, order.period);
      if (is_mute)
        outcome.refusal = "its server does not answer";
      else
        outcome.done.push_back(run);
    }
    return outcome;
  }

  std::map<std::uint32_t, Process> processes;
  std::vector<PeriodOrder> orders;
  std::map<std::uint32_t, std::string> refusals;  ///< of these processes
  std::set<std::uint32_t> late;                   ///< processes without a report
  std::string fault;                              ///< with which a look fails
  bool is_deaf{false};                            ///< orders are lost
  bool is_mute{false};                            ///< orders are carried out, but the answers are lost

 private:
  class Names final : public PlanNames {
   public:
    [[nodiscard]] std::string_view thread_name(std::uint32_t /*thread*/) const override { return "t"; }
    [[nodiscard]] std::string_view path_name(std::uint32_t /*path*/) const override { return "path"; }
    [[nodiscard]] std::string_view process_name(std::uint32_t process) const override {
      return std::string_view("p0p1p2p3p4").substr(2 * std::size_t{process}, 2);
    }
    [[nodiscard]] std::string_view node_of_process(std::uint32_t /*process*/) const override { return "n"; }
    [[nodiscard]] std::optional<SourceRef> source_of(std::uint32_t /*path*/,
                                                     std::uint16_t /*point*/) const override {
      return std::nullopt;
    }
  };

  // A class of the last pass, each as often as it has records.
  [[nodiscard]] std::optional<TraceTuple> newest(Process& process, std::uint32_t thread) {
    if (process.recorded < 1) return std::nullopt;
    double sum = 0;
    for (const auto& [of, records] : process.latest) sum += records;
    double at = sum * static_cast<double>(looks_ * 618034 % 1000000) / 1e6;
    for (const auto& [of, records] : process.latest) {
      if (at >= 0 && records > 0) process.newest = of;
      at -= records;
    }
    TraceTuple record;
    record.words = {static_cast<std::uint64_t>(process.recorded),
                    1,
                    record_words::thread_path(thread, thread),
                    record_words::kind(operation_kind_number, 0) | (std::uint64_t{process.newest} << 12),
                    2,
                    0,
                    0,
                    0};
    return record;
  }

  std::string name_{"fake"};
  Names names_;
  std::chrono::steady_clock::time_point now_{};
  double watching_{0};
  std::uint64_t looks_{0};
};

}  // namespace eventspace
