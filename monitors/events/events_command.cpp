#include "monitors/events/events_command.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <iostream>
#include <memory>
#include <span>
#include <vector>

#include "collectors/clock.h"
#include "monitors/cli/stop_signals.h"
#include "monitors/events/event_printer.h"
#include "monitors/events/point_pairs.h"
#include "monitors/questions/question_options.h"
#include "monitors/watching/reach.h"
#include "monitors/watching/record_clocks.h"
#include "monitors/watching/watch_loop.h"
#include "monitors/watching/watch_options.h"
#include "monitors/watching/watch_pulls.h"
#include "monitors/watching/watched.h"
#include "pathmaps/sessions/consumer.h"
#include "scopes/tree/view_events.h"

namespace eventspace {
namespace {

struct EventsOptions : WatchOptions {
  EventsOptions() : WatchOptions{.scope = "events", .interval = std::chrono::milliseconds(100)} {}
  AskedScope asked{.name = "events"};
  bool apart{false};
};

std::int64_t realtime_when_booted() {
  const ClockCalibration& clock = Clock::instance().calibration();
  return static_cast<std::int64_t>(clock.realtime_ns - clock.monotonic_ns);
}

class EventsMonitor {
 public:
  explicit EventsMonitor(const EventsOptions& options)
      : options_(options),
        watched_(find_watched(options.pathmap, options.session)),
        consumer_(watched_.plan, watched_.session),
        views_(open_asked(consumer_, options.pathmap, options.asked)),
        clocks_(consumer_.names(), realtime_when_booted()),
        printer_(std::cout, options.format, clocks_, consumer_.names()),
        loop_(time_, limits_of(options)),
        pulls_(time_, consumer_.names()),
        pairs_(paths_read_at_both(views_.scope().tree(), consumer_.plan()),
               [this](const RecordHeader& thread, const RecordHeader& element) {
                 return clocks_.can_enclose(thread, element);
               }) {}

  int run() {
    require_servers(consumer_, views_.scope().tree(), {options_.pathmap, options_.session}, options_.timeout);
    loop_.run([this] { return look(); });
    if (!is_over_) is_over_ = !print(pairs_.rest());
    printer_.flush();
    return pulls_.conclude(std::cerr, options_, loop_.elapsed(), consumer_.traffic());
  }

 private:
  // The last events that are kept come with the first pull.
  static WatchLoop::Limits limits_of(const EventsOptions& options) {
    WatchLoop::Limits limits = options.limits();
    if (options.asked.question.last != 0) limits.looks = 1;
    return limits;
  }

  // Returns no pause, which ends the loop, after enough events, when the output has failed, and after a
  // signal while printing.
  WatchLoop::Pause look() {
    const View view = pulls_.pull(views_, {.deadline = pull_deadline(options_.timeout)});
    clocks_.learn(view);
    is_over_ = !print(options_.apart ? rows_of(view.records) : pairs_.add(view.records));
    return printer_.flush() && !is_over_ ? WatchLoop::Pause(options_.interval) : std::nullopt;
  }

  static std::vector<EventRow> rows_of(std::span<const TraceTuple> records) {
    std::vector<EventRow> rows;
    for_each_event(records, [&rows](std::span<const TraceTuple> event) { rows.push_back({event}); });
    return rows;
  }

  // Returns false when enough is printed, the output has failed, or a signal has come.
  bool print(std::span<const EventRow> left) {
    constexpr std::uint64_t in_a_row = 256;  // between checks for signals: a view may hold millions, and the
                                             // reader of the output may be slow
    WatchTally& tally = pulls_.tally();
    while (!left.empty()) {
      printer_.print(left.front());
      left = left.subspan(1);
      if (++tally.events == options_.count) return false;
      if (tally.events % in_a_row == 0 && !goes_on(left)) return false;
    }
    return true;
  }

  bool goes_on(std::span<const EventRow> left) {
    if (!printer_.flush()) return false;
    if (!loop_.wait({})) return true;
    pulls_.tally().not_shown += left.size();
    return false;
  }

  const EventsOptions options_;
  StopSignals signals_;
  RealTime time_{signals_};
  const Watched watched_;
  Consumer consumer_;
  ScopeViews views_;
  RecordClocks clocks_;
  EventPrinter printer_;
  WatchLoop loop_;
  WatchPulls pulls_;
  PointPairs pairs_;
  bool is_over_{false};
};

void add_options(CLI::App& app, EventsOptions& options) {
  add_watch_options(app, options, "events");
  add_which_events(app, options.asked.question);
  add_last(app, options.asked.question);
  app.add_flag("--apart", options.apart,
               "A row for each point at which an operation was recorded, not one for its two ends");
  note_scope(app, options.asked);
}

}  // namespace

Command events_command() {
  const CommandGuide guide{.group = CommandGroup::watching,
                           .examples = {{"eventspace events app.yaml --count 20", "the next 20 events"},
                                        {"eventspace events app.yaml --threads t1 --for 10s --format csv",
                                         "the events of one thread, for a spreadsheet"}},
                           .statuses = {{exit_unreachable, "nothing was seen, and no pull was whole"}}};
  return {"events",
          "Shows the virtual events of a view, as they come",
          [](CLI::App& app) {
            const auto options = std::make_shared<EventsOptions>();
            add_options(app, *options);
            return [options] { return EventsMonitor(*options).run(); };
          },
          {},
          guide};
}

}  // namespace eventspace
