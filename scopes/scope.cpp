#include "scopes/scope.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "collectors/event_record.h"
#include "scopes/generations.h"

namespace eventspace {
namespace {

std::uint32_t count_sources(const ScopeNode& node, std::uint32_t process) {
  auto count = static_cast<std::uint32_t>(
      std::count_if(node.sources.begin(), node.sources.end(),
                    [process](const SourceRef& s) { return s.process == process; }));
  for (const ScopeNode& child : node.children) count += count_sources(child, process);
  return count;
}

/// How many parts of the tree run on other servers and are asked from here.
std::size_t count_parts(const ScopeNode& node) {
  if (!node.endpoint.empty()) return 1;
  std::size_t count = 0;
  for (const ScopeNode& child : node.children) count += count_parts(child);
  return count;
}

bool any_converts(const ScopeNode& node, bool (*how)(const ScopeNode&)) {
  return (node.wrapper == "convert" && how(node)) ||
         std::any_of(node.children.begin(), node.children.end(),
                     [how](const ScopeNode& child) { return any_converts(child, how); });
}

/// Whether times may be of another clock than the one that recorded them.
bool converts(const ScopeNode& node) {
  return any_converts(node, [](const ScopeNode&) { return true; });
}

/// Whether they are estimated.
bool synchronises(const ScopeNode& node) {
  return any_converts(node, [](const ScopeNode& convert) {
    const auto clock = convert.parameters.find("clock");
    return clock != convert.parameters.end() && clock->second == ParameterValue(std::string("synchronised"));
  });
}

/// For whoever looks around anyway when something comes.
struct OfNoUse final : Waker {
  void wake() noexcept override {}
};

std::chrono::nanoseconds time_out_of(const ScopeTree& tree) {
  return tree.root.timeout.count() > 0 ? tree.root.timeout : std::chrono::seconds(1);
}

}  // namespace

EventScope::EventScope(ScopeTree tree, const ScopeSurroundings& here)
    : tree_(std::move(tree)),
      here_(here),
      root_(build_scope(tree_, here_)),
      parts_(count_parts(tree_.root)),
      estimates_(synchronises(tree_.root)),
      processes_(*here_.names) {}

EventScope::~EventScope() = default;
EventScope::EventScope(EventScope&& other) noexcept = default;

View EventScope::pull(Options options) {
  Pull pull;
  pull.id = last_pull_ + 1;
  pull.after = last_pull_;
  pull.with_threads = options.with_threads;
  pull.with_positions = coming_.has_value();
  pull.look_back = look_back();
  Operation operation;
  operation.verb = Verb::pull;
  operation.pull = &pull;
  operation.deadline = options.deadline.value_or(Deadline::after(time_out_of(tree_)));
  perform(operation);
  last_pull_ = pull.id;
  if (tree_.next) {
    drop_repeated(pull.view);
    name_forgotten(pull.view);
  }
  if (coming_) change_over(pull.view);
  return std::move(pull.view);
}

void EventScope::reconfigure(ScopeTree tree) {
  (void)build_scope(tree, here_);  // throws now what could be wrong then
  coming_ = std::move(tree);
}

void EventScope::change_over(const View& last) {
  ScopeTree tree = std::move(*coming_);
  coming_.reset();
  if (tree_.next && tree.next) tree.resume = positions_after(last);
  const bool will_estimate = synchronises(tree.root);
  if (converts(tree_.root) != converts(tree.root) || estimates_ || will_estimate) forget_starts();
  estimates_ = will_estimate;
  root_ = build_scope(tree, here_);
  tree.resume.clear();
  tree_ = std::move(tree);
  parts_ = count_parts(tree_.root);
  last_pull_ = 0;
}

// Starts by another clock say nothing of those to come.
void EventScope::forget_starts() {
  for (auto& [collector, seen] : seen_) {
    for (Position* const position : {&seen.before, &seen.newest}) position->start = position->doubt = 0;
  }
}

// Where a source told no position: behind what was yielded of it, in the run that is known.
std::vector<ReadPosition> EventScope::positions_after(const View& last) const {
  std::vector<ReadPosition> positions = last.positions;
  std::set<SourceRef> told;
  for (const ReadPosition& position : positions) told.insert({position.trace, position.process});
  for (const auto& [collector, seen] : seen_) {
    const auto source = here_.names->source_of(static_cast<std::uint32_t>(collector >> 16),
                                               static_cast<std::uint16_t>(collector & 0xffff));
    if (!source || told.contains(*source)) continue;
    const auto runs = runs_.find(source->process);
    if (runs == runs_.end()) continue;
    const Run& run = runs->second.back();
    positions.push_back({source->trace, source->process, run.pid, run.start_ticks, seen.newest.sequence});
  }
  return positions;
}

// Whoever waits for one part of the tree must also go on with the others, which have to be opened first, say.
void EventScope::perform(Operation& operation) {
  if (parts_ < 2) return root_->call(operation);
  OfNoUse waker;
  operation.waker = &waker;
  root_->begin(operation);
  while (!operation.deadline.passed() && !root_->ready(operation))
    here_.links->wait(earlier(operation.deadline, operation.look_again));
  root_->finish(operation);
}

// All pulls look back to the same moment: who is asked for the first time later, or has forgotten that it was
// asked, begins there too.
std::chrono::nanoseconds EventScope::look_back() {
  const auto now = std::chrono::steady_clock::now();
  if (!first_pulled_) first_pulled_ = now;
  return tree_.since ? *tree_.since + (now - *first_pulled_) : std::chrono::nanoseconds::max();
}

// A view may be sorted in any way: its records are compared with the views before, not with each other.
void EventScope::drop_repeated(View& view) {
  if (estimates_) processes_.learn(view);
  view.loss.repeated += std::erase_if(view.records, [this](const TraceTuple& tuple) {
    const EventRecord record = decode(tuple);
    Seen& seen = seen_[(static_cast<std::uint64_t>(record.path) << 16) | record.point];
    const Position position{record.start, record.sequence, estimates_ ? doubt(record) : 0};
    if (record.sequence <= seen.before.sequence && !position.starts_later(seen.before)) return true;
    if (position.comes_after(seen.newest)) seen.newest = position;
    return false;
  });
  for (auto& [collector, seen] : seen_) seen.before = seen.newest;
}

// Two estimates of one moment differ by what both can be off at most.
std::uint64_t EventScope::doubt(const EventRecord& record) {
  const ProcessReport* const process = processes_.of(record);
  if (process == nullptr) return 0;
  constexpr std::int64_t most = std::int64_t{1} << 60;
  return static_cast<std::uint64_t>(std::min(process->here(record.start).error_ns.value_or(0), most));
}

// A server that was started anew, or whose lease was over, begins with the run that it finds. If that is not
// the one that was read before, nobody knows how much of that one was unread.
void EventScope::name_forgotten(View& view) {
  for (const ProcessReport& report : view.processes) {
    std::vector<Run>& known = runs_[report.process];
    const Run run{report.pid, report.start_ticks};
    if (std::find(known.begin(), known.end(), run) != known.end()) continue;
    if (!report.followed && !known.empty()) {
      view.missing.push_back(
          {std::string(here_.names->node_of_process(report.process)),
           fmt::format("process {}", here_.names->process_name(report.process)), MissingCause::restarted,
           fmt::format("what was unread of its run as pid {} is lost: what was read of it was "
                       "forgotten meanwhile",
                       known.back().pid),
           count_sources(tree_.root, report.process)});
    }
    known.push_back(run);
    if (known.size() > generations_kept + 1) known.erase(known.begin());
  }
}

}  // namespace eventspace
