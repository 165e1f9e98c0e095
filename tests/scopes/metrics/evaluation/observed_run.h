#pragma once

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <bit>
#include <cstdint>
#include <map>
#include <set>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "collectors/event_record.h"
#include "collectors/mpi/mpi_calls.h"
#include "collectors/mpi/mpi_record.h"
#include "collectors/probe_record.h"
#include "paths/views/view.h"
#include "scopes/metrics/evaluation/measurement.h"
#include "scopes/metrics/metric_library.h"
#include "tests/scopes/scope_talk.h"

namespace eventspace::test {

/// PlainNames, and names of probes. Thread 10 * i + j is thread j of process i.
class NamesOfRun : public PlainNames {
 public:
  [[nodiscard]] std::string_view probe_name(std::uint32_t probe) const override {
    return probe < probes_.size() ? std::string_view(probes_[probe]) : "?";
  }
  std::uint32_t probe(const std::string& name) {
    for (std::uint32_t i = 0; i < probes_.size(); ++i) {
      if (probes_[i] == name) return i;
    }
    probes_.push_back(name);
    return static_cast<std::uint32_t>(probes_.size() - 1);
  }

 private:
  std::vector<std::string> probes_{"(none)"};
};

/// A run of processes p0, p1 ... whose clocks tick once a nanosecond from the same moment. Times are in
/// milliseconds.
class ObservedRun {
 public:
  /// Thread `thread` of process `process` writes `bytes` on a path, from `begin` to `end`.
  /// `peer`: the thread that takes it.
  void write(std::uint32_t process, double begin, double end, std::uint32_t bytes, std::uint32_t thread = 0,
             std::uint32_t peer = EventRecord{}.peer) {
    EventRecord record;
    record.sequence = ++sequence_;
    record.start = ticks(begin);
    record.end = ticks(end);
    record.thread = 10 * process + thread;
    record.path = 10 * process;
    record.peer = peer;
    record.verb = Verb::write;
    record.status = Status::ok;
    record.bytes = bytes;
    keep(process, encode(record));
  }

  /// A process is in an MPI barrier.
  void barrier(std::uint32_t process, double begin, double end) {
    MpiCallRecord barrier;
    barrier.of = MpiClass::collective;
    mpi(process, begin, end, "MPI_Barrier", barrier);
  }

  /// An MPI call that has also completed these operations. `name`: the name of its function.
  void mpi(std::uint32_t process, double begin, double end, std::string_view name, MpiCallRecord call,
           const std::vector<MpiCallRecord>& completed = {}) {
    call.call = number_of_mpi_call(name);
    for (std::size_t i = 0; i < completed.size(); ++i) {
      const auto part = static_cast<std::uint8_t>(completed.size() - i);
      const std::uint64_t word3 = completed[i].word3(0) | record_words::kind(mpi_kind, 0, part);
      put(process, begin, end, word3, completed[i]);
    }
    put(process, begin, end, call.word3(0), call);
  }

  /// A thread polls for an MPI message without success, this many times.
  void look(std::uint32_t process, double begin, double end, std::uint32_t calls) {
    MpiCallRecord look;
    look.of = MpiClass::look;
    look.calls = calls;
    call(process, begin, end, look);
  }

  /// A thread makes an MPI call for a file, in which it reads or writes `bytes`.
  void use_file(std::uint32_t process, double begin, double end, MpiClass of, std::uint64_t bytes = 0) {
    MpiCallRecord file;
    file.of = of;
    file.bytes = bytes;
    call(process, begin, end, file);
  }

  /// A thread passes a probe in a virtual time.
  void pass(std::uint32_t process, double at, const std::string& probe, std::uint64_t virtual_time = 0,
            double value = 0.0, std::uint32_t thread = 0) {
    const std::uint64_t forms = static_cast<std::uint64_t>(NumberForm::real) << 28;
    TraceTuple record;
    record.words = {++sequence_,
                    ticks(at),
                    record_words::thread_path(10 * process + thread, 10 * process),
                    record_words::kind(probe_kind, 0) | std::uint64_t{1} << 12 | forms |
                        static_cast<std::uint64_t>(names.probe(probe)) << 32,
                    ticks(at),
                    std::bit_cast<std::uint64_t>(value),
                    0,
                    virtual_time};
    keep(process, record);
  }

  /// A thread passes a probe without a virtual time, and has done so `passage` times before.
  void pass_again(std::uint32_t process, double at, const std::string& probe, std::uint64_t passage,
                  std::uint32_t thread = 0) {
    pass(process, at, probe, passage | passage_mark, 0.0, thread);
  }

  /// A region of a thread has ended; `region`: its name.
  void region(std::uint32_t process, double begin, double end, const std::string& region,
              std::uint32_t thread = 0) {
    TraceTuple record = of_region(process, begin, region, thread);
    record.words[0] = ++sequence_;
    record.words[4] = ticks(end);
    keep(process, record);
  }
  /// The next view reports a region, or a write, of a thread in flight.
  void open(std::uint32_t process, double begin, const std::string& region, std::uint32_t thread = 0) {
    in_flight_.emplace(process, of_region(process, begin, region, thread));
    processes_.insert(process);
  }
  void writing(std::uint32_t process, double begin, std::uint32_t thread = 0) {
    EventRecord record;
    record.start = ticks(begin);
    record.thread = 10 * process + thread;
    record.path = 10 * process;
    record.verb = Verb::write;
    record.status = Status::under_way;
    in_flight_.emplace(process, encode(record));
    processes_.insert(process);
  }

  /// The next view reports a write to a file in flight.
  void begin_file(std::uint32_t process, double begin) {
    MpiCallRecord file;
    file.of = MpiClass::output;
    TraceTuple record;
    record.words = {0,
                    ticks(begin),
                    record_words::thread_path(10 * process, 10 * process),
                    file.word3(0),
                    0,
                    0,
                    file.word6(),
                    file.word7()};
    in_flight_.emplace(process, record);
    processes_.insert(process);
  }

  /// A server has sampled the usage of a process; `run`: the run of the process.
  void use(std::uint32_t process, const ProcessUsage& usage, std::uint64_t run = 1) {
    processes_.insert(process);
    uses_[process] = {usage, run};
  }
  /// The process ends.
  void end(std::uint32_t process) {
    uses_.erase(process);
    ended_.insert(process);
  }

  /// Views do not report the process any more, until it has an event again.
  void leave(std::uint32_t process) { processes_.erase(process); }

  void lose(std::uint64_t events) { view_.loss.discarded += events; }

  /// The events since the last call, in a pull at this time.
  View view(double at = 0.0) {
    for (const std::uint32_t process : processes_) {
      ProcessReport report;
      report.process = process;
      report.clock.ns_per_tick = 1.0;
      report.now_ticks = ticks(at);
      report.now_monotonic_ns = ns(at);
      const auto [from, to] = in_flight_.equal_range(process);
      for (auto each = from; each != to; ++each) report.in_flight.push_back(each->second);
      if (ended_.contains(process)) report.state = RunState::ended;
      if (const auto used = uses_.find(process); used != uses_.end()) {
        report.usage = used->second.first;
        report.start_ticks = used->second.second;
      } else if (ended_.contains(process)) {
        report.start_ticks = 1;
      }
      view_.processes.push_back(report);
    }
    in_flight_.clear();
    return std::exchange(view_, View{});
  }

  NamesOfRun names;

  static std::int64_t ns(double ms) { return static_cast<std::int64_t>(ms * 1e6); }

 private:
  static std::uint64_t ticks(double ms) { return static_cast<std::uint64_t>(ns(ms)); }
  TraceTuple of_region(std::uint32_t process, double begin, const std::string& region, std::uint32_t thread) {
    const auto verb = static_cast<std::uint64_t>(ProbeVerb::region) << 12;
    TraceTuple record;
    record.words[1] = ticks(begin);
    record.words[2] = record_words::thread_path(10 * process + thread, 10 * process);
    record.words[3] =
        record_words::kind(probe_kind, 0) | verb | static_cast<std::uint64_t>(names.probe(region)) << 32;
    return record;
  }
  static std::uint16_t number_of_mpi_call(std::string_view name) {
    const auto names = mpi_call_names();
    return static_cast<std::uint16_t>(std::ranges::find(names, name) - names.begin());
  }
  void call(std::uint32_t process, double begin, double end, const MpiCallRecord& call) {
    put(process, begin, end, call.word3(0), call);
  }
  void put(std::uint32_t process, double begin, double end, std::uint64_t word3, const MpiCallRecord& call) {
    TraceTuple record;
    record.words = {++sequence_,  ticks(begin), record_words::thread_path(10 * process, 10 * process),
                    word3,        ticks(end),   call.word5(),
                    call.word6(), call.word7()};
    keep(process, record);
  }
  void keep(std::uint32_t process, const TraceTuple& record) {
    processes_.insert(process);
    view_.records.push_back(record);
  }

  std::set<std::uint32_t> processes_;
  std::set<std::uint32_t> ended_;
  std::multimap<std::uint32_t, TraceTuple> in_flight_;
  std::map<std::uint32_t, std::pair<ProcessUsage, std::uint64_t>> uses_;
  std::uint64_t sequence_{0};
  View view_;
};

/// A metric measured over such a run, from 1 ms on.
class Measured {
 public:
  /// `metric`: of the library, or of `text`.
  Measured(ObservedRun& run, std::string_view metric, const std::string& text = "",
           metrics::MeasurementChoice choice = {})
      : run_(run), measurement_(definition(metric, text), std::move(choice), run.names) {
    measurement_.start(ObservedRun::ns(1));
  }

  /// The values at this time, such as "p0@3=2.5" for p0 in virtual time 3, in the unit of the metric.
  std::vector<std::string> at(double ms) {
    measurement_.take(run_.view(ms));
    std::vector<std::string> values;
    for (const auto& value : measurement_.read(ObservedRun::ns(ms))) values.push_back(written(value));
    return values;
  }

  metrics::Measurement& operator*() { return measurement_; }
  metrics::Measurement* operator->() { return &measurement_; }

 private:
  static metrics::Definition definition(std::string_view metric, const std::string& text) {
    metrics::MetricLibrary library = metrics::MetricLibrary::shipped();
    const auto faults = text.empty() ? std::vector<metrics::MetricFault>{} : library.add(text);
    if (!faults.empty()) throw std::runtime_error(faults[0].text);
    return metrics::define(library.metrics(), library.find(metric).value());
  }

  [[nodiscard]] std::string written(const metrics::MetricValue& value) const {
    std::string text = fmt::format("{}", fmt::join(value.objects, "+"));
    if (value.virtual_time) text += fmt::format("@{}", *value.virtual_time);
    if (!text.empty()) text += "=";
    const auto& datum = value.datum;
    if (!datum.is_present()) return text + (datum.state == metrics::Datum::State::later ? "later" : "absent");
    if (datum.problem != metrics::Problem::none) return text + std::string(to_string(datum.problem));
    return text + fmt::format("{:.6g}", datum.number / measurement_.definition().unit.scale);
  }

  ObservedRun& run_;
  metrics::Measurement measurement_;
};

}  // namespace eventspace::test
