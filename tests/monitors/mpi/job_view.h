#pragma once

#include <array>
#include <chrono>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "collectors/event_record.h"
#include "collectors/mpi/mpi_requests.h"
#include "collectors/probe_record.h"
#include "paths/views/view.h"
#include "scopes/tree/local_ids.h"
#include "tests/monitors/mpi/job_story.h"

/// Views of MPI jobs, made up from calls: rank r is process r + 1, and a tick is a nanosecond.
namespace eventspace::test {

class NamesOfJob final : public PlanNames {
 public:
  std::map<std::uint32_t, std::string> processes, communicators, members, sites, probes, parents;
  [[nodiscard]] std::string_view thread_name(std::uint32_t thread) const override {
    return is_local_id(thread) ? process_name(process_of_local_id(thread)) : "?";
  }
  [[nodiscard]] std::string_view path_name(std::uint32_t path) const override {
    return is_local_id(path) ? "mpi" : "border";
  }
  [[nodiscard]] std::string_view process_name(std::uint32_t process) const override {
    return found(processes, process);
  }
  [[nodiscard]] std::string_view node_of_process(std::uint32_t) const override { return "n1"; }
  /// "app.3" is rank 3 of the first job, "app.2:3" rank 3 of job 2.
  [[nodiscard]] std::optional<JobMember> member_of_process(std::uint32_t process) const override {
    const std::string name(process_name(process));
    const std::string end = name.substr(name.rfind('.') + 1);
    return JobMember::parse(end.find(':') == std::string::npos ? "1:" + end : end);
  }
  [[nodiscard]] std::string_view communicator_name(std::uint32_t number) const override {
    return found(communicators, number);
  }
  [[nodiscard]] std::string_view communicator_members(std::uint32_t number) const override {
    const auto name = members.find(number);
    return name == members.end() ? "" : std::string_view(name->second);
  }
  [[nodiscard]] std::string_view parent_of_job(std::uint32_t job) const override {
    const auto name = parents.find(job);
    return name == parents.end() ? "" : std::string_view(name->second);
  }
  [[nodiscard]] std::string_view probe_name(std::uint32_t number) const override {
    return found(probes, number);
  }
  [[nodiscard]] std::string_view site_name(std::uint32_t number) const override {
    const auto name = sites.find(number);
    return name == sites.end() ? "" : std::string_view(name->second);
  }
  [[nodiscard]] std::optional<SourceRef> source_of(std::uint32_t path, std::uint16_t) const override {
    if (!is_local_id(path)) return std::nullopt;
    return SourceRef{path, process_of_local_id(path)};
  }

 private:
  static std::string_view found(const std::map<std::uint32_t, std::string>& names, std::uint32_t number) {
    const auto name = names.find(number);
    return name == names.end() ? "?" : std::string_view(name->second);
  }
};

struct JobView {
  static constexpr std::uint32_t world = 10;

  explicit JobView(std::uint32_t size) {
    names.communicators[world] = "world (" + std::to_string(size) + ")";
    names.members[world] = "0-" + std::to_string(size - 1);
    for (std::uint32_t rank = 0; rank < size; ++rank) {
      names.processes[rank + 1] = "app." + std::to_string(rank);
      ProcessReport report;
      report.process = rank + 1;
      report.pid = static_cast<std::int32_t>(100 + rank);
      report.threads = {{thread(rank), report.pid, 'S', 0}};
      view.processes.push_back(report);
    }
    at(10s);
  }
  static std::uint32_t thread(std::uint32_t rank) { return *local_ids_of(rank + 1); }
  /// When the view is made.
  void at(std::chrono::nanoseconds now) {
    for (ProcessReport& report : view.processes) report.now_ticks = static_cast<std::uint64_t>(now.count());
  }

  /// Adds a call from `start` to `end`; in flight without an end.
  void add(std::uint32_t rank, const MpiCallRecord& call, std::chrono::nanoseconds start,
           std::chrono::nanoseconds end = {}) {
    add_record(rank, start, end, {call.word3(0), call.word5(), call.word6(), call.word7()});
  }
  /// Adds a record of any kind with these words 3, 5, 6 and 7.
  void add_record(std::uint32_t rank, std::chrono::nanoseconds start, std::chrono::nanoseconds end,
                  const std::array<std::uint64_t, 4>& words) {
    TraceTuple tuple = header(rank, start, end);
    tuple.words[3] = words[0];
    tuple.words[5] = words[1];
    tuple.words[6] = words[2];
    tuple.words[7] = words[3];
    view.records.push_back(tuple);
  }
  /// Adds a region of the program with the name of probe `name`; open without an end.
  void region(std::uint32_t rank, std::uint32_t name, std::chrono::nanoseconds start,
              std::chrono::nanoseconds end = {}) {
    TraceTuple tuple = header(rank, start, end);
    tuple.words[3] = record_words::kind(probe_kind, 0) |
                     (static_cast<std::uint64_t>(ProbeVerb::region) << 12) |
                     (static_cast<std::uint64_t>(name) << 32);
    view.records.push_back(tuple);
  }
  /// Adds a write of a thread to a path.
  void write(std::uint32_t rank, std::uint32_t path, std::chrono::nanoseconds start,
             std::chrono::nanoseconds end) {
    EventRecord record;
    record.thread = thread(rank);
    record.path = path;
    record.verb = Verb::write;
    record.start = static_cast<std::uint64_t>(start.count());
    record.end = static_cast<std::uint64_t>(end.count());
    view.records.push_back(encode(record));
  }
  /// Sets the requests awaited by the next call of `rank`, which begins at `start`.
  void awaits(std::uint32_t rank, const std::vector<MpiCallRecord>& requests,
              std::chrono::nanoseconds start) {
    std::uint8_t part = mpi_parts::highest;
    for (std::size_t i = 0; i < requests.size(); i += 2, --part) {
      const MpiCallRecord* const second = i + 1 < requests.size() ? &requests[i + 1] : nullptr;
      const auto pair = awaited_pair(static_cast<std::uint32_t>(requests.size()), requests[i], second);
      add_record(rank, start, start,
                 {pair.word3 | record_words::kind(mpi_kind, 0, part), pair.word5, pair.word6, pair.word7});
    }
  }

  static MpiCallRecord call(const std::string& name, MpiClass of) {
    MpiCallRecord made;
    made.call = function(name);
    made.of = of;
    made.communicator = world;
    return made;
  }
  static MpiCallRecord collective(const std::string& name, std::uint32_t ordinal, std::uint64_t bytes = 8) {
    MpiCallRecord made = call(name, MpiClass::collective);
    made.ordinal = ordinal;
    made.bytes = bytes;
    return made;
  }
  static MpiCallRecord message(const std::string& name, MpiClass of, std::uint32_t partner,
                               std::uint32_t tag = 7, std::uint64_t bytes = 100) {
    MpiCallRecord made = call(name, of);
    made.partner = partner;
    made.tag = tag;
    made.bytes = bytes;
    return made;
  }

  NamesOfJob names;
  View view;

 private:
  TraceTuple header(std::uint32_t rank, std::chrono::nanoseconds start, std::chrono::nanoseconds end) {
    TraceTuple tuple;
    tuple.words[0] = ++sequences_[rank];
    tuple.words[1] = static_cast<std::uint64_t>(start.count());
    tuple.words[2] = record_words::thread_path(thread(rank), thread(rank));
    tuple.words[4] = static_cast<std::uint64_t>(end.count());
    return tuple;
  }
  std::map<std::uint32_t, std::uint64_t> sequences_;  // by rank
};

}  // namespace eventspace::test
