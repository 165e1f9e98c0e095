#include <eventspace/monitor.h>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <span>
#include <utility>

#include <eventspace/error.h>
#include "collectors/clock.h"
#include "pathmaps/observing/monitor_state.h"
#include "pathmaps/observing/named_session.h"
#include "pathmaps/pathmap.h"
#include "pathmaps/questions/question_scope.h"
#include "scopes/tree/view_events.h"

namespace eventspace {
namespace {

constexpr const char* everything = "events";

std::int64_t realtime_when_booted_here() {
  const ClockCalibration& clock = Clock::instance().calibration();
  return static_cast<std::int64_t>(clock.realtime_ns - clock.monotonic_ns);
}

Question question_of(const EventQuery& query) {
  Question question;
  question.threads = query.threads;
  question.paths = query.paths;
  question.where = query.where;
  question.since = query.since;
  question.last = query.last;
  question.option_prefix.clear();
  return question;
}

bool wants_in_flight(const EventQuery& query) {
  return query.in_flight || names_field(query.where, "in_flight");
}

// Takes out the events in flight, which have no end by which they could be the last.
Records take_in_flight(Records& records) {
  std::vector<TraceTuple> in_flight;
  keep_events(records, [&](std::span<const TraceTuple> event) {
    if (!header_of(event.back()).in_flight()) return true;
    in_flight.insert(in_flight.end(), event.begin(), event.end());
    return false;
  });
  return Records(std::move(in_flight));
}

// Drops all but the last `most` events. 0: keeps all.
void keep_last(Records& records, std::size_t most) {
  std::vector<TraceTuple>& all = records.whole();
  std::uint64_t events = count_events(all);
  if (most == 0 || events <= most) return;
  std::span<const TraceTuple> left(all);
  for (; events > most; --events) left = left.subspan(first_event(left).size());
  all.erase(all.begin(), all.end() - static_cast<std::ptrdiff_t>(left.size()));
}

}  // namespace

Monitor::State::State(std::shared_ptr<const Plan> plan, const std::string& session,
                      std::filesystem::path of_file)
    : pathmap(std::move(of_file)),
      consumer(std::move(plan), session),
      names(consumer.names().shared()),
      realtime_ns(realtime_when_booted_here()) {}

Monitor::State::State(RecordedFile file)
    : recorded(std::move(file.run)),
      pathmap(std::move(file.pathmap)),
      consumer(recorded),
      names(recorded, &recorded->names()),
      realtime_ns(recorded->replay().recording().session().realtime_ns) {}

ScopeTree Monitor::State::tree_for(const EventQuery& query, bool all_kept) const {
  const Question question = question_of(query);
  AskedScope asked;
  asked.name = everything;
  ScopeTree tree = narrowed_scope(scope_of_everything(pathmap, consumer.plan(), asked), consumer.plan(),
                                  question, query.all_points);
  if (all_kept) {
    tree.batch = 1'000'000;
    tree.most = 0;
  }
  return tree;
}

Monitor::Monitor(std::shared_ptr<State> state) noexcept : state_(std::move(state)) {}
Monitor::~Monitor() = default;
Monitor::Monitor(Monitor&& other) noexcept = default;
Monitor& Monitor::operator=(Monitor&& other) noexcept = default;

Monitor Monitor::of_session(const std::string& name) {
  std::vector<std::string> warnings;
  NamedSession found =
      find_named_session(name, [&warnings](const std::string& text) { warnings.push_back(text); });
  if (found.has_pathmap_too)
    warnings.push_back(
        fmt::format("session {} also has processes with a pathmap; name its file to observe them", name));
  auto state = std::make_shared<State>(std::move(found.plan), name, std::filesystem::path());
  state->warnings = std::move(warnings);
  return Monitor(std::move(state));
}

Monitor Monitor::of_pathmap(const std::filesystem::path& file, const std::string& session) {
  const std::filesystem::path absolute = std::filesystem::absolute(file);
  return Monitor(
      std::make_shared<State>(std::make_shared<const Plan>(require_plan(absolute)), session, absolute));
}

Monitor Monitor::of_recording(const std::filesystem::path& file) {
  return Monitor(std::make_shared<State>(require_recorded_file(file)));
}

const std::string& Monitor::session() const noexcept { return state_->consumer.session(); }
bool Monitor::is_recorded() const noexcept { return state_->recorded != nullptr; }
const std::vector<std::string>& Monitor::warnings() const noexcept { return state_->warnings; }

std::vector<std::string> Monitor::scopes() const {
  std::vector<std::string> names;
  for (const ScopeTree& tree : state_->consumer.plan().scopes)
    if (yields_events(tree)) names.push_back(tree.scope);
  return names;
}

Scope Monitor::open(const std::string& scope) {
  const ScopeTree* const tree = state_->consumer.plan().find_scope(scope);
  if (tree == nullptr || !yields_events(*tree)) {
    throw ConfigurationError(fmt::format("{} has no scope '{}' that yields events; it has {}",
                                         state_->consumer.plan().name, scope, fmt::join(scopes(), ", ")));
  }
  return Scope(std::make_unique<Scope::State>(state_, state_->consumer.open(*tree), false));
}

Scope Monitor::open(const EventQuery& query) {
  return Scope(std::make_unique<Scope::State>(state_, state_->consumer.open(state_->tree_for(query, false)),
                                              wants_in_flight(query)));
}

Events Monitor::events(const EventQuery& query) {
  return events(query, Deadline::after(std::chrono::seconds(10)));
}

// A recording is read in several pulls, and each of them yields the last events that it found and the events
// in flight that no pull before it had.
Events Monitor::events(const EventQuery& query, Deadline deadline) {
  const bool has_in_flight = wants_in_flight(query);
  Scope::State scope(state_, state_->consumer.open(state_->tree_for(query, true)), has_in_flight);
  View all;
  Records in_flight;
  do {
    View some = scope.pull(deadline, std::nullopt);
    if (has_in_flight) {
      EventsInFlight::drop_ended(in_flight.whole(), some.records.whole());
      in_flight.append(take_in_flight(some.records));
    }
    all.append(std::move(some));
    if (is_recorded()) keep_last(all.records, query.last);
  } while (is_recorded() && scope.take_rest());
  all.records.append(std::move(in_flight));
  return scope.events(std::move(all), false);
}

}  // namespace eventspace
