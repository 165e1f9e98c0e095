#include "monitors/requests/request_monitor.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <iostream>
#include <map>
#include <memory>
#include <optional>
#include <set>

#include "collectors/switching/switch_processes.h"
#include "monitors/questions/asked_watch.h"
#include "monitors/requests/standing_request.h"
#include "monitors/servers/shell_commands.h"
#include "monitors/text/counted.h"
#include "monitors/text/json.h"
#include "monitors/text/plain_output.h"
#include "monitors/text/text_format.h"
#include "pathmaps/sessions/collect_control.h"
#include "pathmaps/sessions/session.h"
#include "scopes/expressions/expression.h"
#include "scopes/requests/request_result.h"
#include "scopes/requests/request_wrapper.h"
#include "scopes/tree/field_reader.h"
#include "scopes/tree/view_events.h"
#include "scopes/wrappers/record_processes.h"
#include "tuplespace/system/error.h"

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
        request_(text_of_request()) {
    if (watch_.is_recorded()) refuse_steering();
    constexpr std::array quantity{ValueType::number};
    for (const RequestAction& action : actions_) {
      sums_.push_back(
          {action.kind == Kind::integrate
               ? std::optional<Expression>(std::in_place, action.argument, quantity, watch_.names())
               : std::nullopt,
           0.0});
      commands_.emplace_back(
          action.kind == Kind::run ? action.argument : "",
          ShellCommands::Surroundings{"--do run", "event", false,
                                      [](const std::string& line) { print_message(line); }});
    }
    if (options_.format == Format::csv) std::cout << "time_s,request,event,thread,process,matches,sum\n";
  }

  int run() {
    watch_.run([this]() -> WatchLoop::Pause { return look(); });
    for (ShellCommands& command : commands_) command.conclude();
    if (!is_deleted_) tell();
    return watch_.conclude();
  }

 private:
  struct Sum {
    std::optional<Expression> quantity;
    double value{0.0};
  };
  static constexpr std::size_t most_evaluations = 65'536;
  static constexpr std::size_t most_refusals = 16;

  /// The events of one look that are the last of their process.
  struct LastOf {
    std::string process;
    const ProcessReport* report{nullptr};
    std::string event;
  };

  void refuse_steering() const {
    for (const RequestAction& action : actions_) {
      if (!is_steering(action.kind)) continue;
      throw ConfigurationError(
          fmt::format("--do '{}': a recording has no process that could be steered; expected count, "
                      "integrate, print or run",
                      action.text));
    }
  }

  /// The question that the servers evaluate, and what they do with the events.
  [[nodiscard]] AskedScope asked() const {
    AskedScope asked = options_.asked;
    asked.question.where = options_.condition.empty()
                               ? options_.event
                               : fmt::format("({}) and ({})", options_.event, options_.condition);
    // Not of a recording, in which all is done here.
    asked.finish = [this](ScopeTree& scope) {
      std::vector<std::string> texts;
      for (const RequestAction& action : actions_) texts.push_back(action.text);
      // Servers count from 0 again when the request has been disabled.
      request_at_servers(scope, texts, options_.count - std::min<std::uint64_t>(matches_, options_.count));
    };
    return asked;
  }

  [[nodiscard]] StandingRequest::Text text_of_request() const {
    std::vector<std::string> texts;
    for (const RequestAction& action : actions_) texts.push_back(action.text);
    return {options_.name.empty() ? fmt::format("when-{}", ::getpid()) : options_.name,
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
    // Servers go on with what they do for one more pull.
    if (state != std::exchange(last_state_, state))
      watch_.change(state == StandingRequest::State::enabled ? asked() : passing());
    const View view = watch_.pull();
    if (!watch_.is_recorded())
      take_results(view);
    else if (state == StandingRequest::State::enabled)
      take(view);
    const bool is_enough = options_.count != 0 && matches_ >= options_.count;
    return std::cout.flush() && !is_enough ? WatchLoop::Pause(options_.interval) : std::nullopt;
  }

  /// While the request is disabled: no event is one of it.
  [[nodiscard]] AskedScope passing() const {
    AskedScope none = asked();
    none.question.where = "false";
    return none;
  }

  // --- what servers did ----------------------------------------------------------------------------

  /// A server that refuses does so at each pull. It is said at once, because the request may stand for long.
  void tell_refusals(const View& view) {
    for (const Missing& missing : view.missing) {
      if (missing.cause != MissingCause::refused || refusals_.size() >= most_refusals) continue;
      if (refusals_.insert(missing.detail).second)
        print_message(fmt::format("{} refuses: {}", missing.what, missing.detail));
    }
  }

  void take_results(const View& view) {
    tell_refusals(view);
    const std::uint64_t before = matches_;
    for (const ViewParcel& parcel : view.parcels) {
      const auto result = decode_request_result(parcel.body);
      if (parcel.of == ViewParcel::Of::request && result && result->sums.size() == actions_.size())
        take(*result);
      else
        print_message("a server sent a result that cannot be read; is it of another version?");
    }
    processes_.learn(view);
    std::map<std::string, LastOf> last;
    for_each_event(view.records, [&](std::span<const TraceTuple> records) {
      const ObservedEvent event{records.back(), processes_.of(header_of(records.back())),
                                records.first(records.size() - 1)};
      print_and_note(event, last);
    });
    if (matches_ == before) return;
    switch_elsewhere();
    for (const auto& [name, each] : last) run_commands(each);
    request_.tell(matches_);
    tell();
  }

  /// A server that is started anew counts from 0.
  void take(const RequestResult& result) {
    // So many evaluations there are not, unless a server makes up numbers.
    if (results_.size() >= most_evaluations && !results_.contains(result.server)) {
      print_message("servers have sent results of too many evaluations of this request; they do not count");
      return;
    }
    RequestResult& known = results_[result.server];
    const std::uint64_t more = result.matches - std::min(known.matches, result.matches);
    matches_ += more;
    watch_.tally().events += more;
    for (std::size_t i = 0; i < sums_.size(); ++i)
      sums_[i].value += result.sums[i] - (known.sums.empty() ? 0.0 : known.sums[i]);
    known = result;
    for (const std::string& trouble : result.troubles) print_message(trouble);
    if (result.more_troubles > 0)
      print_message(fmt::format("{} more", counted(result.more_troubles, "failure")));
  }

  /// A server switches the processes of its own node; those of others are switched from here.
  void switch_elsewhere() const {
    for (const RequestAction& action : actions_)
      if (action.kind == Kind::collect && !action.processes.empty()) collect(action, "");
  }

  void print_and_note(const ObservedEvent& event, std::map<std::string, LastOf>& last) {
    if (options_.count == 0 || printed_ < options_.count) {
      for (const RequestAction& action : actions_)
        if (action.kind == Kind::print) print(event);
      ++printed_;
    }
    if (event.process == nullptr) return;
    const std::string name(watch_.names().process_name(event.process->process));
    last[name] = {name, event.process, describe_event(event, watch_.names())};
  }

  // --- events of a recording -----------------------------------------------------------------------

  void take(const View& view) {
    processes_.learn(view);
    const std::uint64_t before = matches_;
    std::map<std::string, LastOf> last;
    for_each_event(view.records, [&](std::span<const TraceTuple> records) {
      const ObservedEvent event{records.back(), processes_.of(header_of(records.back())),
                                records.first(records.size() - 1)};
      const bool is_enough = options_.count != 0 && matches_ >= options_.count;
      if (!event.in_flight() && !is_enough) take(event, last);
    });
    if (matches_ == before) return;
    for (const auto& [name, each] : last) run_commands(each);
    request_.tell(matches_);
    tell();
  }

  void take(const ObservedEvent& event, std::map<std::string, LastOf>& last) {
    ++matches_;
    ++watch_.tally().events;
    for (std::size_t i = 0; i < actions_.size(); ++i) {
      if (sums_[i].quantity) sums_[i].value += sums_[i].quantity->number(event).value_or(0.0);
      if (actions_[i].kind == Kind::print) print(event);
    }
    if (event.process == nullptr) return;
    const std::string name(watch_.names().process_name(event.process->process));
    last[name] = {name, event.process, describe_event(event, watch_.names())};
  }

  /// Once for each process with events in a look; with --count N, N times in all.
  void run_commands(const LastOf& last) {
    if (options_.count != 0 && processes_run_ >= options_.count) return;
    ++processes_run_;
    for (std::size_t i = 0; i < actions_.size(); ++i) {
      if (actions_[i].kind == Kind::run)
        commands_[i].run({{"EVENTSPACE_REQUEST", text_of_request().name},
                          {"EVENTSPACE_PROCESS", last.process},
                          {"EVENTSPACE_EVENT", last.event},
                          {"EVENTSPACE_MATCHES", std::to_string(matches_)}});
    }
  }

  void collect(const RequestAction& action, const std::string& process) const {
    SwitchOrder order;
    order.processes = action.processes.empty() ? process : action.processes;
    order.period = period_of(action.argument);
    const Plan& plan = watch_.plan();
    if (!plan.has_pathmap && plan.nodes[NodeIndex(0)].port == 0) {
      for (const SwitchedProcess& each : switch_processes(plan.name, "", order)) report(each);
      return;
    }
    constexpr std::chrono::seconds patience{1};
    const auto all = plan.nodes.indices();
    for (const SwitchedNode& node : switch_nodes(plan, session_name(plan, options_.session),
                                                 {all.begin(), all.end()}, order, patience)) {
      for (const SwitchedProcess& each : node.processes) report(each);
    }
  }
  static void report(const SwitchedProcess& process) {
    if (!process.refusal.empty())
      print_message(
          fmt::format("cannot switch {} (pid {}): {}", process.process, process.pid, process.refusal));
  }

  [[nodiscard]] double seconds() const {
    return std::chrono::duration<double>(watch_.loop().elapsed()).count();
  }

  void print(const ObservedEvent& event) const {
    const std::string thread(thread_.text(event, watch_.names()).value_or("?"));
    const std::string process(event.process == nullptr ? "?"
                                                       : watch_.names().process_name(event.process->process));
    const std::string what = describe_event(event, watch_.names());
    if (options_.format == Format::text)
      std::cout << fmt::format("{:>7}  {} of {}: {}\n", short_duration(watch_.loop().elapsed()), thread,
                               process, what);
    if (options_.format == Format::json)
      std::cout << Json::object({{"time_s", seconds()},
                                 {"request", text_of_request().name},
                                 {"event", what},
                                 {"thread", thread},
                                 {"process", process}})
                       .dump()
                << '\n';
    if (options_.format == Format::csv)
      std::cout << fmt::format("{:.6f},{},{},{},{},,\n", seconds(), text_of_request().name, csv_value(what),
                               csv_value(thread), csv_value(process));
  }

  /// Writes the numbers of actions that make some.
  void tell() const {
    const std::string name = text_of_request().name;
    for (std::size_t i = 0; i < actions_.size(); ++i) {
      const bool is_sum = actions_[i].kind == Kind::integrate;
      if (!is_sum && actions_[i].kind != Kind::count) continue;
      const Json sum = is_sum ? Json(sums_[i].value) : Json();
      if (options_.format == Format::text)
        std::cout << fmt::format("{:>7}  {}  {}\n", short_duration(watch_.loop().elapsed()), actions_[i].text,
                                 is_sum ? fmt::format("{:.6g}", sums_[i].value) : std::to_string(matches_));
      if (options_.format == Format::json)
        std::cout << Json::object(
                         {{"time_s", seconds()}, {"request", name}, {"matches", matches_}, {"sum", sum}})
                         .dump()
                  << '\n';
      if (options_.format == Format::csv)
        std::cout << fmt::format("{:.6f},{},,,,{},{}\n", seconds(), name, matches_,
                                 is_sum ? fmt::format("{}", sums_[i].value) : "");
    }
  }

  const RequestOptions& options_;
  const std::vector<RequestAction> actions_;
  std::uint64_t matches_{0};  // before watch_, which asks for what is left of --count
  mutable AskedWatch watch_;
  RecordProcesses processes_;
  StandingRequest request_;
  std::vector<Sum> sums_;                // by action
  std::vector<ShellCommands> commands_;  // by action
  FieldReader thread_{"thread"};
  std::map<std::uint64_t, RequestResult> results_;  // the last ones of servers
  std::uint64_t printed_{0};                        // events
  std::uint64_t processes_run_{0};                  // for how many of the processes commands were run
  std::set<std::string> refusals_;                  // of servers, that were said
  StandingRequest::State last_state_{StandingRequest::State::enabled};
  bool is_deleted_{false};
};

}  // namespace

int stand(const RequestOptions& options) { return RequestMonitor(options).run(); }

}  // namespace eventspace
