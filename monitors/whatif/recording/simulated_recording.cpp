#include "monitors/whatif/recording/simulated_recording.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include <eventspace/error.h>
#include "collectors/event_record.h"
#include "pathmaps/pathmap.h"
#include "pathmaps/plan/plan_names.h"
#include "scopes/recordings/recording_writer.h"

namespace eventspace::whatif {
namespace {

// Begin of the simulated run: a recording has times of a machine's clocks.
constexpr std::int64_t begun_ns = 1'000'000'000;
constexpr std::uint64_t windows = 128;  // parts of the run whose events are in memory at one time

using Pair = std::pair<std::uint32_t, std::uint32_t>;

/// The pairs and groups of a program's tasks, each of which becomes an element of the pathmap.
struct Channels {
  std::set<Pair> pairs{};  // sender, receiver
  std::set<std::uint32_t> groups{};
};

Channels channels_of(const Program& program) {
  Channels channels;
  for (std::uint32_t task = 0; task < program.tasks.size(); ++task) {
    for (const Action& action : program.tasks[task].actions) {
      if (action.sends()) channels.pairs.emplace(task, action.peer);
      if (action.receives()) channels.pairs.emplace(action.peer, task);
      if (action.kind == ActionKind::group) channels.groups.insert(action.group);
      if (action.kind != ActionKind::multicast) continue;
      for (const std::uint32_t to : program.destinations[action.peer]) channels.pairs.emplace(task, to);
    }
  }
  return channels;
}

std::string path_to(const Pair& pair) { return fmt::format("to/t{}", pair.second); }
std::string path_from(const Pair& pair) { return fmt::format("from/t{}", pair.first); }
std::string path_of(std::uint32_t group) { return fmt::format("group/{}", group); }

std::string pathmap_of(const Program& program, const Channels& channels) {
  std::string text = "pathmap: 1\nname: whatif\ncluster: {nodes: {n0: {}}}\napplication:\n  threads: [";
  for (std::size_t task = 0; task < program.tasks.size(); ++task)
    text += fmt::format("{}t{}", task == 0 ? "" : ", ", task);
  text += "]\n";
  std::string elements;
  std::string paths;
  for (const Pair& pair : channels.pairs) {
    const std::string name = fmt::format("from/t{}/to/t{}", pair.first, pair.second);
    elements += fmt::format("    - {{name: {}, tuple: [bytes]}}\n", name);
    paths += fmt::format("    - {{thread: t{}, name: {}, element: {}, use: write}}\n", pair.first,
                         path_to(pair), name);
    paths += fmt::format("    - {{thread: t{}, name: {}, element: {}, use: read}}\n", pair.second,
                         path_from(pair), name);
  }
  for (const std::uint32_t group : channels.groups) {
    elements += fmt::format("    - {{name: {}, tuple: [bytes]}}\n", path_of(group));
    for (const std::uint32_t member : program.groups[group].members)
      paths += fmt::format("    - {{thread: t{0}, name: {1}, element: {1}}}\n", member, path_of(group));
  }
  if (!elements.empty()) text += fmt::format("  elements:\n{}  paths:\n{}", elements, paths);
  text += "placement:\n  processes:\n";
  for (std::size_t task = 0; task < program.tasks.size(); ++task)
    text += fmt::format("    p{0}: {{node: n0, threads: t{0}}}\n", task);
  return text + "collect:\n  points: [{threads: \"*\", at: [thread]}]\n";
}

void require_size(const Program& program, const Channels& channels) {
  std::size_t members = 0;
  for (const std::uint32_t group : channels.groups) members += program.groups[group].members.size();
  if (program.tasks.size() <= max_recorded_pairs && channels.pairs.size() + members <= max_recorded_pairs)
    return;
  throw ConfigurationError(fmt::format(
      "the simulated run of {} cannot be written as a recording: it has {} tasks, and {} pairs of tasks and "
      "memberships in groups; at most {} of each are possible",
      program.source, program.tasks.size(), channels.pairs.size() + members, max_recorded_pairs));
}

std::shared_ptr<const Plan> plan_of(const std::string& pathmap) {
  LoadResult loaded = parse_plan(pathmap, "the pathmap of the simulated run");
  if (!loaded.plan) throw ConfigurationError(to_string(loaded.faults.at(0)));
  return std::make_shared<const Plan>(*std::move(loaded.plan));
}

class SimulatedRecording {
 public:
  SimulatedRecording(const std::filesystem::path& file, const Program& program, const Outcome& outcome,
                     const std::string& pathmap)
      : program_(&program),
        outcome_(&outcome),
        plan_(plan_of(pathmap)),
        names_(plan_),
        writer_({.file = file,
                 .session = {plan_->name, pathmap, "n0", "whatif", begun_ns, begun_ns, ""},
                 .names = &names_,
                 .replaces = true}),
        open_(program.tasks.size()),
        next_(program.tasks.size()),
        ended_(program.tasks.size()),
        last_(plan_->traces.size()) {
    for (const PathIndex path : plan_->paths.indices()) {
      const PathPlan& of = plan_->paths[path];
      if (!of.traces.empty()) paths_[{of.thread.number32(), of.name}] = path;
    }
    for (std::size_t task = 0; task < open_.size(); ++task) open_[task].resize(program.tasks[task].requests);
  }

  void write() {
    const Picoseconds step = std::max<Picoseconds>(outcome_->execution / windows, 1);
    for (Picoseconds until = step;; until += step) {
      const bool is_last = until >= outcome_->execution;
      View view;
      for (std::uint32_t task = 0; task < next_.size(); ++task) take(task, is_last ? longest_time : until);
      view.records = Records(std::exchange(records_, {}));
      add_processes(view, until);
      writer_.add_events(std::move(view), time_of(until));
      if (is_last) break;
    }
    add_state();
    writer_.end({.reason = "the simulation ended", .ended_ns = time_of(outcome_->execution)});
  }

 private:
  static std::int64_t time_of(Picoseconds time) { return begun_ns + time / ps_per_ns; }

  // Writes the events of a task that end by `until`.
  void take(std::uint32_t task, Picoseconds until) {
    const auto& actions = program_->tasks[task].actions;
    const auto& times = outcome_->trace->times[task];
    for (std::size_t& i = next_[task]; i < std::min(actions.size(), times.size()) && times[i].second <= until;
         ++i)
      add(task, actions[i], times[i]);
  }

  void add(std::uint32_t task, const Action& action, const std::pair<Picoseconds, Picoseconds>& time) {
    switch (action.kind) {
      case ActionKind::isend:
        open_[task][action.request] = nullptr;
        [[fallthrough]];
      case ActionKind::send:
        return send(task, action.peer, action, time);
      case ActionKind::multicast:
        for (const std::uint32_t to : program_->destinations[action.peer]) send(task, to, action, time);
        return;
      case ActionKind::ireceive:
        open_[task][action.request] = &action;
        return;
      case ActionKind::receive:
        return receive(task, action, time);
      case ActionKind::wait:
        if (const Action* const begun = open_[task][action.request]) receive(task, *begun, time);
        return;
      case ActionKind::group:
        return record(task, path_of(action.group), Verb::exchange, action.bytes, time);
      case ActionKind::compute:
      case ActionKind::idle:
      case ActionKind::overhead:
        return;
    }
  }

  void send(std::uint32_t task, std::uint32_t to, const Action& action,
            const std::pair<Picoseconds, Picoseconds>& time) {
    record(task, path_to({task, to}), Verb::write, action.bytes, time);
  }
  void receive(std::uint32_t task, const Action& action, const std::pair<Picoseconds, Picoseconds>& time) {
    record(task, path_from({action.peer, task}), Verb::take, action.bytes, time);
  }

  void record(std::uint32_t task, const std::string& name, Verb verb, std::uint64_t bytes,
              const std::pair<Picoseconds, Picoseconds>& time) {
    const PathIndex path = paths_.at({task, name});
    const PathPlan& of = plan_->paths[path];
    const TraceIndex trace = of.traces.front();
    TraceTuple& last = last_[trace.number32()];
    EventRecord event;
    event.sequence = last.words[0] + 1;
    // An event takes time, and ends before the next one begins, so that readers see the order of a task's
    // events.
    const std::int64_t start = std::max(time_of(time.first), ended_[task]);
    ended_[task] = std::max(time_of(time.second), start + 1);
    event.start = static_cast<std::uint64_t>(start);
    event.end = static_cast<std::uint64_t>(ended_[task]);
    event.thread = of.thread.number32();
    event.path = plan_->traces[trace].path.number32();
    event.point = static_cast<std::uint16_t>(plan_->traces[trace].point);
    event.peer = of.peer && verb != Verb::exchange ? of.peer->number32() : no_peer;
    event.verb = verb;
    event.status = Status::ok;
    event.bytes = static_cast<std::uint32_t>(std::min<std::uint64_t>(bytes, 0xffffffffU));
    event.parameter = event.sequence;  // one task writes and one takes, in one order
    last = encode(event);
    records_.push_back(last);
  }

  void add_processes(View& view, Picoseconds now) const {
    for (const ProcessIndex process : plan_->processes.indices()) {
      ProcessReport& report = view.processes.emplace_back();
      report.process = number_of_process(*plan_, process);
      report.pid = 1 + static_cast<std::int32_t>(report.process);
      report.now_ticks = static_cast<std::uint64_t>(time_of(now));
      report.now_monotonic_ns = time_of(now);
    }
  }

  void add_state() {
    View view;
    std::vector<TraceTuple> newest;
    for (const TraceTuple& last : last_) {
      if (last.words[0] != 0) newest.push_back(last);
    }
    view.records = Records(std::move(newest));
    add_processes(view, outcome_->execution);
    writer_.add_state(view, time_of(outcome_->execution));
  }

  const Program* program_;
  const Outcome* outcome_;
  std::shared_ptr<const Plan> plan_;
  NamesOfPlan names_;
  RecordingWriter writer_;
  std::map<std::pair<std::uint32_t, std::string>, PathIndex> paths_;  // by task and name
  // By task and request: the ireceive, or null.
  std::vector<std::vector<const Action*>> open_;
  std::vector<std::size_t> next_;    // action, by task
  std::vector<std::int64_t> ended_;  // end of the last event, by task
  std::vector<TraceTuple> last_;     // by trace element
  std::vector<TraceTuple> records_;
};

}  // namespace

void write_simulated_recording(const std::filesystem::path& file, const Program& program,
                               const Outcome& outcome) {
  const Channels channels = channels_of(program);
  require_size(program, channels);
  SimulatedRecording(file, program, outcome, pathmap_of(program, channels)).write();
}

}  // namespace eventspace::whatif
