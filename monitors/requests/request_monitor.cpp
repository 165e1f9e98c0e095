#include "monitors/requests/request_monitor.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <unistd.h>

#include <algorithm>
#include <iostream>
#include <map>
#include <optional>
#include <set>
#include <utility>

#include <eventspace/error.h>
#include <eventspace/session.h>
#include "monitors/questions/asked_watch.h"
#include "monitors/requests/front_end_actions.h"
#include "monitors/requests/request_lines.h"
#include "monitors/requests/standing_request.h"
#include "monitors/text/counted.h"
#include "monitors/text/plain_output.h"
#include "pathmaps/plan/plan.h"
#include "scopes/expressions/expression.h"
#include "scopes/requests/request_result.h"
#include "scopes/requests/request_wrapper.h"
#include "scopes/tree/view_events.h"
#include "scopes/wrappers/record_processes.h"

namespace eventspace {
namespace {

using Kind = RequestAction::Kind;

std::vector<RequestAction> actions_of(const RequestOptions& options) {
  std::vector<RequestAction> actions;
  for (const std::string& text : options.actions) actions.push_back(request_action(text));
  if (actions.empty()) actions.push_back(request_action("count"));
  return actions;
}

class RequestMonitor {
 public:
  explicit RequestMonitor(const RequestOptions& options)
      : options_(options),
        actions_(actions_of(options)),
        watch_(options_, {Played::Part::all, 0, 0}, [this](const Plan& /*plan*/) { return asked(); }),
        processes_(watch_.names()),
        request_(text_of_request()),
        here_(actions_, text_of_request().name, options_.count),
        sums_(actions_.size()) {
    if (watch_.is_recorded()) refuse_steering();
    lines_.emplace(options_.format, text_of_request().name);
    for (const RequestAction& action : actions_)
      quantities_.push_back(
          action.kind == Kind::integrate
              ? std::optional<Expression>(std::in_place, action.argument, request_quantity, watch_.names())
              : std::nullopt);
  }

  int run() {
    watch_.run([this]() -> WatchLoop::Pause { return look(); });
    here_.conclude();
    if (!is_deleted_) tell();
    return watch_.conclude();
  }

 private:
  static constexpr std::size_t max_evaluations = 65'536;
  static constexpr std::size_t max_refusals = 16;

  void refuse_steering() const {
    for (const RequestAction& action : actions_) {
      if (!is_steering(action.kind)) continue;
      throw ConfigurationError(
          fmt::format("--do '{}': a recording has no processes to act on; expected count, "
                      "integrate, print or run",
                      action.text));
    }
  }

  /// The question that the servers evaluate, and their actions for the events.
  [[nodiscard]] AskedScope asked() const {
    AskedScope asked = options_.asked;
    asked.question.where = options_.condition.empty()
                               ? options_.event
                               : fmt::format("({}) and ({})", options_.event, options_.condition);
    // Not used for a recording, for which everything is done here.
    asked.finish = [this](ScopeTree& scope) {
      std::vector<std::string> texts;
      for (const RequestAction& action : actions_) texts.push_back(action.text);
      // Servers count from 0 again after the request was disabled.
      request_at_servers(scope, texts, options_.count - std::min<std::uint64_t>(matches_, options_.count));
    };
    return asked;
  }

  [[nodiscard]] StandingRequest::Text text_of_request() const {
    std::vector<std::string> texts;
    for (const RequestAction& action : actions_) texts.push_back(action.text);
    return {options_.name.empty() ? fmt::format("trigger-{}", ::getpid()) : options_.name,
            session_name(watch_.plan(), options_.session), options_.event, options_.condition,
            fmt::format("{}", fmt::join(texts, "; "))};
  }

  WatchLoop::Pause look() {
    const auto state = request_.state();
    if (state == StandingRequest::State::deleted) {
      print_message("the request was deleted");
      is_deleted_ = true;
      return std::nullopt;
    }
    // The servers' actions continue for one more pull.
    if (state != std::exchange(last_state_, state))
      watch_.change(state == StandingRequest::State::enabled ? asked() : passing());
    do {
      const View view = watch_.pull();
      if (!watch_.is_recorded())
        take_results(view);
      else if (state == StandingRequest::State::enabled)
        take(view);
    } while (watch_.loop().has_rest());
    const bool is_enough = options_.count != 0 && matches_ >= options_.count;
    return std::cout.flush() && !is_enough ? WatchLoop::Pause(options_.interval) : std::nullopt;
  }

  /// The question while the request is disabled: it does not match any event.
  [[nodiscard]] AskedScope passing() const {
    AskedScope none = asked();
    none.question.where = "false";
    return none;
  }

  // --- results of servers -------------------------------------------------------------------------

  /// A server that refuses does so at each pull. The refusal is printed at once, because the request may run
  /// for long.
  void notify_refusals(const View& view) {
    for (const Missing& missing : view.missing) {
      if (missing.cause != MissingCause::refused || refusals_.size() >= max_refusals) continue;
      if (refusals_.insert(missing.detail).second)
        print_message(fmt::format("{} refuses: {}", missing.what, missing.detail));
    }
  }

  void take_results(const View& view) {
    notify_refusals(view);
    const std::uint64_t before = matches_;
    for (const ViewParcel& parcel : view.parcels) {
      const auto result = decode_request_result(parcel.body);
      if (parcel.of == ViewParcel::Of::request && result && result->sums.size() == actions_.size())
        take(*result);
      else
        print_message("a server sent a result that cannot be read; check that the servers have this version");
    }
    LastEvents last;
    for_each_here(view, [&](const ObservedEvent& event) {
      if (options_.count == 0 || printed_ < options_.count) print(event);
      ++printed_;
      last.note(event, watch_.names());
    });
    if (matches_ == before) return;
    here_.switch_elsewhere(watch_.plan(), options_.session);
    conclude_look(last);
  }

  /// Calls `use` with each event of a view.
  template <class Use>
  void for_each_here(const View& view, const Use& use) {
    processes_.learn(view);
    for_each_event(view.records, [&](std::span<const TraceTuple> records) {
      use(ObservedEvent{records.back(), processes_.of(header_of(records.back())),
                        records.first(records.size() - 1)});
    });
  }

  void conclude_look(const LastEvents& last) {
    here_.run_commands(last, matches_);
    request_.tell(matches_);
    tell();
  }

  /// A restarted server counts from 0.
  void take(const RequestResult& result) {
    // There cannot be this many evaluations, unless a server makes up numbers.
    if (results_.size() >= max_evaluations && !results_.contains(result.server)) {
      print_message(
          "servers sent results of too many evaluations of this request; further results are ignored");
      return;
    }
    RequestResult& known = results_[result.server];
    const std::uint64_t more = result.matches - std::min(known.matches, result.matches);
    matches_ += more;
    watch_.tally().events += more;
    for (std::size_t i = 0; i < sums_.size(); ++i)
      sums_[i] += result.sums[i] - (known.sums.empty() ? 0.0 : known.sums[i]);
    known = result;
    for (const std::string& trouble : result.troubles) print_message(trouble);
    if (result.more_troubles > 0)
      print_message(fmt::format("{} more", counted(result.more_troubles, "failure")));
  }

  // --- events of a recording -----------------------------------------------------------------------

  void take(const View& view) {
    const std::uint64_t before = matches_;
    LastEvents last;
    for_each_here(view, [&](const ObservedEvent& event) {
      const bool is_enough = options_.count != 0 && matches_ >= options_.count;
      if (event.in_flight() || is_enough) return;
      take(event);
      last.note(event, watch_.names());
    });
    if (matches_ != before) conclude_look(last);
  }

  void take(const ObservedEvent& event) {
    ++matches_;
    ++watch_.tally().events;
    for (std::size_t i = 0; i < actions_.size(); ++i)
      if (quantities_[i]) sums_[i] += quantities_[i]->number(event).value_or(0.0);
    print(event);
  }

  // --- output --------------------------------------------------------------------------------------

  void print(const ObservedEvent& event) const {
    for (const RequestAction& action : actions_)
      if (action.kind == Kind::print)
        lines_->print(event, watch_.names(), watch_.loop().since_begin(watch_.loop().now()));
  }
  /// Prints the number of events, if it has changed.
  void tell() {
    if (std::exchange(told_, matches_) != matches_)
      lines_->tell(actions_, matches_, sums_, watch_.loop().since_begin(watch_.loop().now()));
  }

  const RequestOptions& options_;
  const std::vector<RequestAction> actions_;
  std::uint64_t matches_{0};  // declared before watch_, which requests the rest of --count
  mutable AskedWatch watch_;
  RecordProcesses processes_;
  StandingRequest request_;
  std::optional<RequestLines> lines_;  // set once no action was refused
  FrontEndActions here_;
  std::vector<double> sums_;                           // by action
  std::vector<std::optional<Expression>> quantities_;  // by action: the number that is summed up
  std::map<std::uint64_t, RequestResult> results_;     // the latest result of each server
  std::uint64_t printed_{0};                           // events
  std::optional<std::uint64_t> told_;                  // the number of events that was last printed
  std::set<std::string> refusals_;                     // refusals of servers that were printed
  StandingRequest::State last_state_{StandingRequest::State::enabled};
  bool is_deleted_{false};
};

}  // namespace

int stand(const RequestOptions& options) { return RequestMonitor(options).run(); }

}  // namespace eventspace
