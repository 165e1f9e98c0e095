#include "python/module/analyses.h"

#include <fmt/format.h>

#include <sstream>
#include <utility>

#include "monitors/collectives/collective_scope.h"
#include "monitors/collectives/command/collectives_monitor.h"
#include "monitors/delays/delay_watch.h"
#include "monitors/delays/path_delays.h"
#include "monitors/heartbeat/element_fills.h"
#include "monitors/heartbeat/heartbeat_monitor.h"
#include "monitors/profile/job_profile.h"
#include "monitors/profile/profile_printer.h"
#include "monitors/questions/question_options.h"
#include "monitors/watching/reach.h"
#include "monitors/watching/view_source.h"
#include "monitors/watching/watch_loop.h"
#include "monitors/watching/watch_pulls.h"
#include "pathmaps/plan/plan_lookup.h"
#include "pathmaps/questions/question_scope.h"
#include "python/module/call_timeline.h"
#include "scopes/tree/newest_of_each.h"

namespace eventspace::python {
namespace {

using std::chrono::nanoseconds;

/// A session that an analysis reads, from its beginning or from its end on if it is recorded.
struct Look {
  Look(const Source& source, GivenUp& given_up, std::optional<nanoseconds> begin)
      : watched(source.watched()),
        consumer(consumer_of(watched)),
        time(time_of(watched, given_up, begin)),
        asked{source.named()} {}

  [[nodiscard]] bool is_recorded() const noexcept { return watched.recorded != nullptr; }
  void require(const ScopeTree& tree) { require_servers(consumer, tree, asked, {}); }

  const Watched watched;
  Consumer consumer;
  const std::unique_ptr<CallTimeline> time;
  const AskedFor asked;

 private:
  static std::unique_ptr<CallTimeline> time_of(const Watched& watched, GivenUp& given_up,
                                               std::optional<nanoseconds> begin) {
    if (watched.recorded == nullptr) return std::make_unique<CallTimeline>(given_up);
    Replay& replay = watched.recorded->replay();
    const std::int64_t at = begin ? replay.begin_ns() + begin->count() : replay.end_ns();
    return std::make_unique<CallTimeline>(given_up, replay, at, replay.end_ns());
  }
};

// Where `heartbeat --once` begins: a quarter of a second before the moment that it judges.
nanoseconds before_moment(const Source& source, std::optional<double> at) {
  if (!source.recording && at)
    throw ConfigurationError("at needs a recording; a running session is observed live");
  if (!source.recording) return {};
  const nanoseconds length(source.recording->end_ns() - source.recording->begin_ns());
  const nanoseconds moment = at ? nanoseconds(static_cast<std::int64_t>(*at * 1e9)) : length;
  if (moment.count() < 0 || moment > length) {
    throw ConfigurationError(fmt::format("at: found {} s; the recording has {:.3f} s", *at,
                                         std::chrono::duration<double>(length).count()));
  }
  return moment - std::chrono::milliseconds(250);
}

EventScope collectives_scope(Look& look) {
  const Plan& plan = look.consumer.plan();
  return look.consumer.open(plan.has_pathmap ? collective_scope(look.watched.pathmap, plan, false)
                                             : require_scope(plan, "events"));
}

/// Where the time of a program goes, as `eventspace profile` finds it.
class Profile {
 public:
  Profile(Look& look, const ProfileChoice& choice)
      : look_(&look),
        has_delays_(look.consumer.plan().has_pathmap && choice.threads.empty() && choice.where.empty()),
        views_(open_asked(look.consumer, look.watched.pathmap, asked_of(choice))),
        profile_(look.consumer.names()),
        pulls_(*look.time, look.consumer.names()),
        loop_(*look.time, {choice.duration.count() > 0 ? std::optional(choice.duration) : std::nullopt, 1}) {
    if (has_delays_) delays_.emplace(look.consumer.plan(), look.consumer.names());
  }

  std::string lines() {
    look_->require(views_.scope().tree());
    loop_.run([this]() -> WatchLoop::Pause {
      read_all();
      return std::chrono::milliseconds(200);
    });
    profile_.settle();
    std::optional<DelayReport> report;
    if (delays_) {
      delays_->finish();
      report = report_delays(delays_->origins());
    }
    std::ostringstream out;
    print_profile(out, Format::json, ProfileTable::all, profile_, report, look_->consumer.names(), 0);
    return out.str();
  }

 private:
  static AskedScope asked_of(const ProfileChoice& choice) {
    AskedScope asked{.name = "events"};
    asked.question.threads = choice.threads;
    asked.question.where = choice.where;
    asked.question.option_prefix.clear();
    return asked;
  }

  // A program may make records as fast as they are read, so the number of pulls is limited.
  void read_all() {
    constexpr int max_pulls = 500;
    const ScopeTree& tree = views_.scope().tree();
    bool has_rest = true;
    for (int pulls = 0; has_rest && (pulls < max_pulls || look_->is_recorded()); ++pulls) {
      const View view = pulls_.pull(views_, {.deadline = pull_deadline(nanoseconds(0))});
      profile_.add(view);
      if (delays_) delays_->add(view);
      has_rest = look_->is_recorded() ? loop_.has_rest() : tree.next && view.records.size() >= tree.batch;
    }
    if (delays_ && !has_rest) delays_->settle();
  }

  Look* look_;
  bool has_delays_;
  ScopeViews views_;
  JobProfile profile_;
  WatchPulls pulls_;
  WatchLoop loop_;
  std::optional<PathDelays> delays_;
};

}  // namespace

std::string heartbeat_lines(const Source& source, const HeartbeatChoice& choice, GivenUp& given_up) {
  Look look(source, given_up, before_moment(source, choice.at));
  AskedScope asked{.name = "heartbeat", .newest = true};
  asked.question.threads = choice.threads;
  asked.question.option_prefix.clear();
  ScopeViews views(open_asked(look.consumer, look.watched.pathmap, asked), choice.threads,
                   look.consumer.names());
  const EventScope& scope = views.scope();
  std::optional<ScopeViews> past;  // of an MPI job
  if (!look.watched.plan->has_pathmap) past.emplace(look.consumer.open("events"));
  AskedFills fills(look.watched.plan, look.consumer.session());
  HeartbeatMonitor::Settings settings;
  settings.pace.stall = choice.stall;
  settings.format = Format::json;
  settings.judges_jobs = asked.question.is_empty();
  std::ostringstream out;
  HeartbeatMonitor monitor(look.consumer.plan(), look.consumer.names(), scope.tree(), scope.timeout(),
                           settings, views, *look.time, out, look.is_recorded() ? nullptr : &fills,
                           past ? &*past : nullptr);
  std::unique_ptr<DelayWatch> delays;
  if (asked.question.is_empty())
    delays = DelayWatch::on_paths(look.consumer, look.watched.pathmap,
                                  {.is_paced = !look.is_recorded(), .fades = true});
  if (delays) monitor.watch_delays(*delays);
  look.require(scope.tree());
  monitor.look_once();
  return out.str();
}

std::string collectives_lines(const Source& source, const CollectivesChoice& choice, GivenUp& given_up) {
  Look look(source, given_up, nanoseconds(0));
  CollectivesOptions options;
  options.collectives = choice.only;
  options.each = choice.each && !choice.total;
  options.total = choice.total;
  options.limit = 0;
  options.format = Format::json;
  if (!look.is_recorded()) options.duration = std::max(choice.duration, nanoseconds(1));
  ScopeViews views(collectives_scope(look));
  const ScopeTree& tree = views.scope().tree();
  ScopeViews newest(look.consumer.open(newest_of_each(tree)));
  std::ostringstream out;
  CollectivesMonitor monitor(look.consumer.plan(), look.consumer.names(), tree, options, views, newest,
                             *look.time, out);
  std::unique_ptr<DelayWatch> delays;
  if (options.total) delays = DelayWatch::on_paths(look.consumer, look.watched.pathmap, {});
  if (delays) monitor.watch_delays(*delays);
  look.require(tree);
  monitor.watch();
  return out.str();
}

std::string profile_lines(const Source& source, const ProfileChoice& choice, GivenUp& given_up) {
  // As a program ends, a profile of a recording is of all of it.
  Look look(source, given_up, std::nullopt);
  return Profile(look, choice).lines();
}

}  // namespace eventspace::python
