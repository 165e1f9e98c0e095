#include "bench/recordings/made_run.h"

#include <algorithm>
#include <memory>
#include <utility>
#include <vector>

#include "collectors/event_record.h"
#include "pathmaps/pathmap.h"
#include "pathmaps/plan/plan_names.h"
#include "pathmaps/variants/scope_variants.h"
#include "scopes/recordings/recording_writer.h"

namespace eventspace::bench {
namespace {

constexpr std::uint64_t second = 1'000'000'000;
constexpr std::uint64_t events_a_second = 2'000'000;
constexpr std::uint64_t pull_ns = 20'000'000;
constexpr std::uint64_t events_a_pull = events_a_second * pull_ns / second;
constexpr std::uint64_t begun_ns = 1000 * second;
constexpr std::uint64_t realtime_ns = 1'790'000'000 * second;

/// The paths of one thread, with their trace elements.
struct Paths {
  std::vector<PathIndex> paths;
  std::size_t traces{0};
};

class MadeRun {
 public:
  MadeRun(const std::filesystem::path& pathmap, const std::filesystem::path& file)
      : plan_(std::make_shared<const Plan>(require_plan(pathmap))),
        names_(plan_),
        writer_({.file = file,
                 .session = {plan_->name, whole_pathmap(pathmap), "n1", "made_run",
                             static_cast<std::int64_t>(begun_ns), static_cast<std::int64_t>(realtime_ns), ""},
                 .names = &names_,
                 .replaces = true}),
        last_(plan_->traces.size()) {
    threads_.resize(plan_->threads.size());
    for (const PathIndex path : plan_->paths.indices()) {
      if (plan_->paths[path].traces.empty()) continue;
      Paths& of = threads_[plan_->paths[path].thread.number32()];
      of.paths.push_back(path);
      of.traces += plan_->paths[path].traces.size();
      traces_ += plan_->paths[path].traces.size();
    }
  }

  void make(std::uint64_t events) {
    const std::uint64_t rounds = std::max<std::uint64_t>(events_a_pull / traces_, 1);
    std::uint64_t now = begun_ns;
    std::uint64_t state_due = begun_ns + second;
    for (std::uint64_t done = 0; done < events; done += rounds * traces_) {
      writer_.add_events(pull(now, std::min(rounds, (events - done) / traces_ + 1)),
                         static_cast<std::int64_t>(now + pull_ns));
      now += pull_ns;
      if (now < state_due) continue;
      add_state(now);
      state_due += second;
    }
    add_state(now);
    writer_.end({.reason = "it was made", .ended_ns = static_cast<std::int64_t>(now)});
  }

 private:
  // Makes `rounds` operations on each path of all threads, within one pull. Events of a trace element are
  // together.
  View pull(std::uint64_t begin, std::uint64_t rounds) {
    std::vector<TraceTuple> records;
    records.reserve(rounds * traces_);
    for (const Paths& of : threads_) {
      if (of.paths.empty()) continue;
      const std::uint64_t slot = pull_ns / (rounds * of.paths.size());
      for (std::size_t place = 0; place < of.paths.size(); ++place) {
        const PathPlan& path = plan_->paths[of.paths[place]];
        for (std::size_t depth = 0; depth < path.traces.size(); ++depth) {
          for (std::uint64_t round = 0; round < rounds; ++round) {
            const std::uint64_t at = begin + (round * of.paths.size() + place) * slot;
            records.push_back(event(path, path.traces[depth], at + depth * slot / 16, slot, depth));
          }
        }
      }
    }
    View view;
    view.records = Records(std::move(records));
    add_processes(view, begin + pull_ns);
    return view;
  }

  TraceTuple event(const PathPlan& path, TraceIndex trace, std::uint64_t at, std::uint64_t slot,
                   std::size_t depth) {
    Last& last = last_[trace.number32()];
    // Durations that vary like in a real run, and fit into the slot, inner ones into outer ones.
    last.chance = last.chance * 6364136223846793005 + 1442695040888963407 + trace.number32();
    EventRecord record;
    record.sequence = ++last.sequence;
    record.start = at;
    record.end =
        at + slot / (depth == 0 ? 2 : 8) + (last.chance >> 40) % std::max<std::uint64_t>(slot / 8, 1);
    record.thread = path.thread.number32();
    record.path = plan_->traces[trace].path.number32();
    record.point = static_cast<std::uint16_t>(plan_->traces[trace].point);
    record.peer = path.peer ? path.peer->number32() : no_peer;
    record.verb = path.use == PathUse::read ? Verb::take : Verb::write;
    record.status = Status::ok;
    record.bytes = 500;
    record.parameter = record.sequence;
    record.virtual_time = record.sequence;
    last.record = encode(record);
    return last.record;
  }

  void add_processes(View& view, std::uint64_t now) const {
    for (const ProcessIndex process : plan_->processes.indices()) {
      ProcessReport& report = view.processes.emplace_back();
      report.process = number_of_process(*plan_, process);
      report.pid = 1000 + static_cast<std::int32_t>(report.process);
      report.now_ticks = now;
      report.now_monotonic_ns = static_cast<std::int64_t>(now);
    }
  }

  void add_state(std::uint64_t now) {
    View view;
    std::vector<TraceTuple> newest;
    for (const Last& last : last_) {
      if (last.sequence != 0) newest.push_back(last.record);
    }
    view.records = Records(std::move(newest));
    add_processes(view, now);
    writer_.add_state(view, static_cast<std::int64_t>(now));
  }

  struct Last {
    std::uint64_t sequence{0};
    std::uint64_t chance{1};
    TraceTuple record{};
  };

  std::shared_ptr<const Plan> plan_;
  NamesOfPlan names_;
  RecordingWriter writer_;
  std::vector<Paths> threads_;
  std::vector<Last> last_;
  std::uint64_t traces_{0};
};

}  // namespace

void make_run(const std::filesystem::path& pathmap, const std::filesystem::path& file, std::uint64_t events) {
  MadeRun(pathmap, file).make(events);
}

}  // namespace eventspace::bench
