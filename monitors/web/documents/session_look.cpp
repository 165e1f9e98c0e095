#include "monitors/web/documents/session_look.h"

#include <algorithm>

#include <eventspace/error.h>
#include "monitors/collectives/collective_scope.h"
#include "monitors/delays/delay_watch.h"
#include "monitors/text/text_format.h"
#include "pathmaps/questions/question_scope.h"
#include "scopes/tree/newest_of_each.h"

namespace eventspace::web {
namespace {

constexpr std::chrono::milliseconds one_look{250};
constexpr std::chrono::milliseconds until_drawn{200};  // between looks while a page waits for the map

// The scope of `top`: the newest event of each trace element.
ScopeTree tree_of(const Watched& watched) {
  return newest_of_each(base_scope(watched.pathmap, *watched.plan, {.name = "heartbeat", .newest = true}));
}

About about_of(const WatchedSource& source, const Watched& watched) {
  About about{.name = source.named.filename().string(), .session = watched.session, .kind = "session"};
  if (watched.recorded != nullptr) {
    about.kind = "recording";
    about.session = watched.recorded->session();
  } else if (watched.plan->has_pathmap) {
    about.kind = "pathmap";
  }
  return about;
}

}  // namespace

SessionLook::SessionLook(const WatchedSource& source)
    : source_(source),
      watched_(source.found ? *source.found
                            : find_watched(source.named, source.session, Recordings::accepted)),
      tree_(tree_of(watched_)),
      about_(about_of(source, watched_)),
      metrics_(source.metrics ? source.metrics : metric_choice({}, {})) {
  if (watched_.recorded == nullptr) {
    time_ = std::make_unique<RealTime>();
  } else {
    auto playback = std::make_unique<top::Playback>(watched_.recorded->replay(), std::chrono::nanoseconds(0));
    playback_ = playback.get();
    about_.begin_ns = playback->covered().begin_realtime_ns;
    about_.length = playback->length();
    time_ = std::move(playback);
  }
  start_over();
}

// Forgets all earlier looks. Polls a recording shortly before the present, so that the next look has
// rates.
void SessionLook::start_over() {
  model_.reset();
  past_.reset();
  metrics_.stop();
  looker_.emplace(consumer_of(watched_), tree_, "", source_.pace, *time_);
  about_.session = looker_->consumer().session();
  metrics_.start(watched_, looker_->consumer(), *time_);
  if (!watched_.plan->collectives.empty()) watch_collectives();
  watch_delays();
  model_.emplace(*watched_.plan, looker_->consumer().names(), tree_, source_.pace.stall, open_evidence());
  blamed_.clear();
  stacks_.clear();
  if (playback_ == nullptr) return;
  playback_->step_back(one_look);
  model_->observe(looker_->look({.collectives = true}));
  (void)playback_->wait(one_look);
}

// collective_scope() throws if the pathmap does not record collectives; there is nothing to show then.
void SessionLook::watch_collectives() {
  try {
    ScopeTree tree = collective_scope(watched_.pathmap, *watched_.plan);
    if (playback_ != nullptr) tree.since = one_look;  // not from the beginning of the recording
    looker_->watch_collectives(tree);
  } catch (const ConfigurationError&) {
  }
}

void SessionLook::watch_delays() {
  const auto since = playback_ != nullptr ? std::optional<std::chrono::nanoseconds>(one_look) : std::nullopt;
  looker_->watch_delays(DelayWatch::on_paths(looker_->consumer(), watched_.pathmap,
                                             {.is_paced = playback_ == nullptr, .fades = true}, since));
}

// The verdicts equal `heartbeat`'s. It also judges ranks by their past calls, and asks for the fills of
// elements.
top::Evidence SessionLook::open_evidence() {
  Consumer& consumer = looker_->consumer();
  if (!watched_.plan->has_pathmap) past_.emplace(consumer.open("events"));
  if (playback_ == nullptr && !fills_) fills_.emplace(watched_.plan, consumer.session());
  return {.past = past_ ? &*past_ : nullptr, .timeline = time_.get(), .fills = fills_ ? &*fills_ : nullptr};
}

Looked SessionLook::look(Also also) {
  if (playback_ != nullptr && playback_->take_jump()) start_over();
  const top::Sample sample = looker_->look({also.servers && playback_ == nullptr, also.collectives, false});
  at_ = sample.at;
  if (playback_ != nullptr) sampled_ = playback_->position_of(sample.at);
  model_->observe(sample);
  read_stacks(sample.view);
  return {&model_->state(), watched_.plan.get(), &looker_->consumer().names(),
          source_.has_stacks ? &stacks_ : nullptr,
          playback_ == nullptr ? looker_->pace().complaint() : std::nullopt};
}

void SessionLook::set_interval(std::chrono::nanoseconds interval) noexcept {
  source_.pace.interval = interval;
  looker_->set_interval(interval);
}

// A session whose pathmap records nothing has no events. Once read, events are read on also when no page
// shows them: the trace elements keep only the last ones, and the time of lost ones would count as compute.
Document::Parts SessionLook::read_events(const WantedParts& wanted) {
  if (events_ == nullptr && !wants_events(wanted)) return {};
  try {
    if (events_ == nullptr)
      events_ = std::make_unique<EventReading>(watched_, source_.named, &looker_->consumer(), at_s());
  } catch (const ConfigurationError& error) {
    return {{"profile", no_part(error.what())},
            {"call_sites", no_part(error.what())},
            {"communication", no_part(error.what())}};
  }
  const bool has_changed = playback_ == nullptr || events_->has_rest();
  events_->read(looker_->pace().timeout());
  if (!wants_events(wanted) || (!has_changed && made_ == wanted)) return {};
  made_ = wanted;
  return event_parts(events_->sums(), wanted, are_matrices_due(wanted));
}

// A matrix can have thousands of cells, so a running session's matrix is sent less often than other parts,
// unless a page chooses another one.
bool SessionLook::are_matrices_due(const WantedParts& wanted) {
  constexpr std::chrono::seconds between_matrices{4};
  if (playback_ != nullptr || wanted.last) return true;
  auto matrices = wanted.numbers("flows");
  if (matrix_due_ && !matrix_due_->passed() && matrices == matrices_) return false;
  matrix_due_ = Deadline::after(between_matrices);
  matrices_ = std::move(matrices);
  return true;
}

Document::Parts SessionLook::measure(const WantedParts& wanted) {
  return metrics_.read(wanted, at_, looker_->pace().timeout());
}

Document::Parts SessionLook::map(const Looked& looked, const WantedParts& wanted) {
  if (!map_ && !wanted.has("map") && !wanted.has("map_rates")) return {};
  if (!map_) map_.emplace(watched_.plan, playback_ != nullptr ? "" : about_.session, tree_);
  return map_->read(looked, wanted, at_);
}

// Reading a stack stops its thread for some milliseconds, so it is done once for each stall.
void SessionLook::read_stacks(const View& view) {
  if (!source_.has_stacks || playback_ != nullptr) return;
  const HealthReport& health = model_->state().health;
  std::vector<std::uint32_t> blamed;
  for (const Culprit& culprit : health.culprits) blamed.push_back(culprit.thread);
  for (const JobVerdict& verdict : health.job.verdicts)
    for (const RankSet::Rank rank : verdict.culprits.ranks())
      blamed.push_back(static_cast<std::uint32_t>(rank));
  if (blamed == blamed_) return;
  stacks_ = blamed.empty() ? std::vector<CulpritStack>() : stacks_of_culprits(health, view, stack_source_);
  blamed_ = std::move(blamed);
}

bool SessionLook::has_rest() const { return (events_ && events_->has_rest()) || metrics_.has_rest(); }

std::chrono::nanoseconds SessionLook::pause() const {
  if (has_rest()) return std::chrono::nanoseconds(0);
  const auto pause = playback_ != nullptr ? playback_->in_real_time(looker_->pause()) : looker_->pause();
  return map_ && map_->is_awaited() ? std::min<std::chrono::nanoseconds>(pause, until_drawn) : pause;
}

bool SessionLook::stands_still() const {
  return playback_ != nullptr && !has_rest() && !(map_ && map_->is_awaited()) &&
         (!playback_->plays() || playback_->is_at_end()) && sampled_ == playback_->position();
}

double SessionLook::at_s() const {
  return seconds_of(playback_ != nullptr ? playback_->position_of(at_) : model_->state().since_start);
}

Json SessionLook::clock() const {
  Json clock = Json::object({{"at", at_s()}});
  const std::int64_t wall = realtime_when_booted(watched_) + at_.time_since_epoch().count();
  clock.set("wall", format_realtime(wall));
  if (playback_ == nullptr) return clock;
  clock.set("plays", playback_->plays());
  clock.set("speed", playback_->speed());
  clock.set("position", seconds_of(playback_->position()));
  return clock;
}

}  // namespace eventspace::web
