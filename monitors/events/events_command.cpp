#include <CLI/CLI.hpp>
#include <iostream>
#include <span>
#include <utility>
#include <vector>

#include "monitors/cli/command.h"
#include "monitors/events/event_printer.h"
#include "monitors/events/point_pairs.h"
#include "monitors/questions/asked_watch.h"
#include "monitors/questions/question_options.h"
#include "scopes/columns/events_in_flight.h"
#include "scopes/columns/record_clocks.h"
#include "scopes/tree/view_events.h"

namespace eventspace {
namespace {

struct EventsOptions : WatchOptions {
  EventsOptions() : WatchOptions{.scope = "events", .interval = std::chrono::milliseconds(100)} {}
  AskedScope asked{.name = "events"};
  bool apart{false};
};

class EventsMonitor {
 public:
  explicit EventsMonitor(const EventsOptions& options)
      : options_(options),
        watch_(options_, extent_of(options.asked.question),
               [&options](const Plan& /*plan*/) { return options.asked; }),
        clocks_(watch_.names(), realtime_when_booted(watch_.watched())),
        printer_(std::cout, options.format, clocks_, watch_.names()),
        wants_in_flight_(watch_.tree().next && (options.asked.question.last != 0 ||
                                                names_field(options.asked.question.where, "in_flight"))),
        pairs_(paths_read_at_both(watch_.tree(), watch_.plan()), may_be_one()),
        pairs_in_flight_({}, may_be_one()) {}

  int run() {
    watch_.run([this] { return look(); });
    if (!last_.empty()) is_over_ = !print(std::span<const TraceTuple>(last_));
    if (!is_over_) is_over_ = !print(pairs_.rest());
    if (!is_over_ && options_.asked.question.last != 0) is_over_ = !print_in_flight();
    printer_.flush();
    return watch_.conclude();
  }

 private:
  // The last events that are kept come with the first pull; for a recording, with all pulls.
  static AskedWatch::Extent extent_of(const Question& question) {
    return {question.is_about_the_last() ? Played::Part::end : Played::Part::all,
            question.last == 0 ? 0U : 1U};
  }

  [[nodiscard]] MayBeOne may_be_one() {
    return [this](const RecordHeader& thread, const RecordHeader& element) {
      return clocks_.can_enclose(thread, element);
    };
  }

  // Returns no pause, which ends the loop, after enough events, when the output has failed, and after a
  // signal while printing. Events in flight are pulled first: an event that ends in between is then among
  // these, among the unread events, or both, but never missing.
  WatchLoop::Pause look() {
    if (wants_in_flight_) {
      const View newest = watch_.pull_newest();
      clocks_.learn(newest);
      in_flight_rows_ = in_flight_.take(newest);
    }
    WatchLoop::Pause pause;
    do pause = look_once();
    while (pause && watch_.loop().has_rest());
    if (!pause || options_.asked.question.last != 0) return pause;
    is_over_ = !print_in_flight();
    return printer_.flush() && !is_over_ ? pause : std::nullopt;
  }

  bool print_in_flight() {
    const std::vector<TraceTuple> records = std::exchange(in_flight_rows_, {});
    return print(options_.apart ? rows_of(records) : pairs_in_flight_.add(records));
  }

  WatchLoop::Pause look_once() {
    const View view = watch_.pull();
    clocks_.learn(view);
    EventsInFlight::drop_ended(in_flight_rows_, view.records.whole());
    if (options_.asked.question.last != 0 && watch_.is_recorded()) {
      keep_last(view.records.whole());
      return options_.interval;
    }
    is_over_ = !print(view.records.whole());
    return printer_.flush() && !is_over_ ? WatchLoop::Pause(options_.interval) : std::nullopt;
  }

  static std::vector<EventRow> rows_of(std::span<const TraceTuple> records) {
    std::vector<EventRow> rows;
    for_each_event(records, [&rows](std::span<const TraceTuple> event) { rows.push_back({event}); });
    return rows;
  }

  // The scope itself keeps the last events of each pull (Question::last). The kept events of a running
  // session come with one pull, but a recording takes a pull per batch, and only the last events count. So
  // they are collected here over all pulls; wrappers do not keep records between pulls.
  void keep_last(std::span<const TraceTuple> records) {
    last_.insert(last_.end(), records.begin(), records.end());
    std::span<const TraceTuple> kept(last_);
    for (std::uint64_t events = count_events(kept); events > options_.asked.question.last; --events)
      kept = kept.subspan(first_event(kept).size());  // with its continuation records
    last_.erase(last_.begin(), last_.end() - static_cast<std::ptrdiff_t>(kept.size()));
  }

  bool print(std::span<const TraceTuple> records) {
    return print(options_.apart ? rows_of(records) : pairs_.add(records));
  }

  // Returns false when enough is printed, the output has failed, or a signal has come.
  bool print(std::vector<EventRow> rows) {
    std::span<const EventRow> left(rows);
    // Between checks for signals: a view may hold millions, and the reader of the output may be slow.
    constexpr std::uint64_t in_a_row = 256;
    WatchTally& tally = watch_.tally();
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
    if (!watch_.loop().wait({})) return true;
    watch_.tally().not_shown += left.size();
    return false;
  }

  const EventsOptions options_;
  AskedWatch watch_;
  RecordClocks clocks_;
  EventPrinter printer_;
  const bool wants_in_flight_;
  EventsInFlight in_flight_;
  std::vector<TraceTuple> in_flight_rows_;  // of this look, to be printed
  PointPairs pairs_;
  PointPairs pairs_in_flight_;    // separate, because the pairs of ended events wait for the next view
  std::vector<TraceTuple> last_;  // for a recording, with --last
  bool is_over_{false};
};

void add_options(CLI::App& app, EventsOptions& options) {
  add_watch_options(app, options, "events");
  add_which_events(app, options.asked.question);
  add_last(app, options.asked.question);
  app.add_flag(
      "--apart", options.apart,
      "Print a row for each point at which an operation was recorded, instead of one for its two ends");
  note_scope(app, options.asked);
}

}  // namespace

Command events_command(const CommandContext& /*context*/) {
  const CommandGuide guide{.group = CommandGroup::watching,
                           .place = 3,
                           .examples = {{"eventspace events app.yaml --count 20", "the next 20 events"},
                                        {"eventspace events app.yaml --threads t1 --for 10s --format csv",
                                         "the events of one thread, for a spreadsheet"}},
                           .statuses = {{exit_unreachable, "no event was received, and no view was whole"}}};
  return {"events", "Show virtual events as they happen",
          with_options<EventsOptions>(
              add_options, [](const EventsOptions& options) { return EventsMonitor(options).run(); }),
          guide};
}

}  // namespace eventspace
