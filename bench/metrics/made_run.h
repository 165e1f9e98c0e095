#pragma once

#include <cstdint>
#include <deque>
#include <optional>
#include <string>
#include <string_view>

#include "collectors/event_record.h"
#include "collectors/probe_record.h"
#include "paths/views/view.h"
#include "scopes/tree/plan_names.h"

namespace eventspace::bench {

inline constexpr std::uint32_t iteration_end = 1;
inline constexpr std::uint64_t iteration_ticks = 1'000'000;

/// Names of processes p0, p1 ... of one thread and one path each; process i is on node i modulo `nodes`.
class Names final : public PlanNames {
 public:
  Names(std::uint32_t processes, std::uint32_t nodes) : nodes_(nodes) {
    for (std::uint32_t i = 0; i < processes; ++i) names_.push_back("p" + std::to_string(i));
    for (std::uint32_t i = 0; i < nodes; ++i) nodes_named_.push_back("n" + std::to_string(i));
  }
  [[nodiscard]] std::string_view thread_name(std::uint32_t) const override { return "t"; }
  [[nodiscard]] std::string_view path_name(std::uint32_t) const override { return "queue"; }
  [[nodiscard]] std::string_view process_name(std::uint32_t process) const override {
    return names_.at(process);
  }
  [[nodiscard]] std::string_view node_of_process(std::uint32_t process) const override {
    return nodes_named_.at(process % nodes_);
  }
  [[nodiscard]] std::string_view probe_name(std::uint32_t) const override { return "iteration_end"; }
  [[nodiscard]] std::optional<SourceRef> source_of(std::uint32_t path, std::uint16_t) const override {
    return SourceRef{path, path};
  }

 private:
  std::uint32_t nodes_;
  std::deque<std::string> names_;
  std::deque<std::string> nodes_named_;
};

/// A process writes `writes` tuples and passes the probe, `iterations` times, beginning with iteration
/// `first`.
inline void add_process(View& view, std::uint32_t process, std::uint64_t first, std::uint64_t iterations,
                        std::uint64_t writes) {
  ProcessReport report;
  report.process = process;
  report.clock.ns_per_tick = 1.0;
  view.processes.push_back(report);
  EventRecord record;
  record.thread = record.path = process;
  record.verb = Verb::write;
  record.status = Status::ok;
  record.bytes = 512;
  record.sequence = first * (writes + 1);
  for (std::uint64_t i = first; i < first + iterations; ++i) {
    for (std::uint64_t j = 0; j < writes; ++j) {
      ++record.sequence;
      record.start = i * iteration_ticks + j * 1000;
      record.end = record.start + 500;
      view.records.push_back(encode(record));
    }
    const std::uint64_t end = (i + 1) * iteration_ticks - 1;
    TraceTuple probe;
    probe.words = {++record.sequence,
                   end,
                   record_words::thread_path(process, process),
                   record_words::kind(probe_kind, 0) | std::uint64_t{1} << 12 |
                       static_cast<std::uint64_t>(iteration_end) << 32,
                   end,
                   0,
                   0,
                   i};
    view.records.push_back(probe);
  }
}

}  // namespace eventspace::bench
