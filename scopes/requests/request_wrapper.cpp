#include "scopes/requests/request_wrapper.h"

#include <fmt/format.h>
#include <signal.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <utility>

#include <eventspace/error.h>
#include "collectors/switching/switch_processes.h"
#include "scopes/expressions/expression.h"
#include "scopes/requests/request_result.h"
#include "scopes/tree/evaluation_number.h"
#include "scopes/tree/placing.h"
#include "scopes/tree/repeated_events.h"
#include "scopes/tree/view_events.h"
#include "scopes/wrappers/record_processes.h"
#include "tuplespace/processes/process_stat.h"
#include "tuplespace/system/plain_text.h"

namespace eventspace {
namespace {

using Kind = RequestAction::Kind;

constexpr const char* wrapper_name = "request";

/// Stops, continues or switches processes of this machine, and collects failures.
class ProcessSteering {
 public:
  explicit ProcessSteering(SteeredProcesses processes) : processes_(std::move(processes)) {}

  void act(const RequestAction& action, const ProcessReport& process, std::string_view name) {
    if (action.kind == Kind::stop) send(process, name, SIGSTOP);
    if (action.kind == Kind::go_on) send(process, name, SIGCONT);
    if (action.kind == Kind::collect) collect(action, name);
  }
  void forget_troubles() {
    troubles_.clear();
    more_ = 0;
  }
  [[nodiscard]] const std::vector<std::string>& troubles() const noexcept { return troubles_; }
  [[nodiscard]] std::uint64_t more_troubles() const noexcept { return more_; }

 private:
  // A process of another machine may have the same id, but has not started in the same tick.
  void send(const ProcessReport& process, std::string_view name, int signal) {
    const auto stat = read_process_stat(process.pid);
    const bool is_here = stat && stat->is_known() && stat->is_alive_since(process.start_ticks);
    if (is_here && ::kill(process.pid, signal) == 0) return;
    say(fmt::format("cannot {} process {} (pid {}): {}", signal == SIGSTOP ? "stop" : "continue", name,
                    process.pid, is_here ? std::strerror(errno) : "it is not on this machine, or has ended"));
  }

  void collect(const RequestAction& action, std::string_view name) {
    SwitchOrder order;
    order.processes = action.processes.empty() ? std::string(name) : action.processes;
    order.period = period_of(action.argument);
    try {
      for (const SwitchedProcess& each :
           switch_processes(processes_.session, processes_.node, order, processes_.directory)) {
        if (!each.refusal.empty())
          say(fmt::format("cannot switch {} (pid {}): {}", each.process, each.pid, each.refusal));
      }
    } catch (const EnvironmentError& error) {
      say(error.what());
    }
  }

  void say(const std::string& trouble) {
    const std::string plain = made_plain(trouble, RequestResult::longest_trouble);
    if (std::ranges::find(troubles_, plain) != troubles_.end()) return;
    if (troubles_.size() < RequestResult::max_troubles)
      troubles_.push_back(plain);
    else
      ++more_;
  }

  SteeredProcesses processes_;
  std::vector<std::string> troubles_;
  std::uint64_t more_{0};
};

class RequestOperator final : public ViewOperator {
 public:
  RequestOperator(const std::vector<std::string>& actions, std::uint64_t most, SteeredProcesses processes,
                  const PlanNames& names)
      : most_(most), names_(&names), processes_(names), steering_(std::move(processes)) {
    if (actions.empty() || actions.size() > max_request_actions)
      throw ConfigurationError(fmt::format("{} actions in one request; a server takes 1 to {}",
                                           actions.size(), max_request_actions));
    for (const std::string& text : actions) {
      actions_.push_back(request_action(text));
      const RequestAction& action = actions_.back();
      quantities_.push_back(
          action.kind == Kind::integrate
              ? std::optional<Expression>(std::in_place, action.argument, request_quantity, names)
              : std::nullopt);
      prints_ = prints_ || action.kind == Kind::print;
      runs_ = runs_ || action.kind == Kind::run;
    }
    result_.server = new_evaluation_number();
    result_.sums.resize(actions_.size());
  }

  void settle(bool arrived) override {
    if (!arrived) return;
    repeated_.forget();
    steering_.forget_troubles();
    waiting_.clear();
  }

  void apply(View& view) override {
    view.loss.repeated += repeated_.drop_from(view.records);
    repeated_.note(view.records.whole());
    processes_.learn(view);
    last_.clear();
    const std::vector<TraceTuple>& records = view.records.whole();
    for_each_event(records, [&](std::span<const TraceTuple> event) { take(event); });
    for (const auto& [process, last] : last_) act_on(last);
    view.loss.reduced += records.size();
    view.records.clear();
    // Events of a view that did not arrive are sent with the next one.
    for (const TraceTuple& record : waiting_) view.records.push_back(record);
    view.loss.reduced -= std::min<std::uint64_t>(view.loss.reduced, waiting_.size());
    view.loss.discarded += std::exchange(dropped_, 0);
    result_.troubles = steering_.troubles();
    result_.more_troubles = steering_.more_troubles();
    view.parcels.push_back({ViewParcel::Of::request, encode(result_)});
  }

 private:
  struct LastOf {
    const ProcessReport* report{nullptr};
    std::vector<TraceTuple> event;
  };
  static constexpr std::size_t max_waiting = 100'000;

  void take(std::span<const TraceTuple> records) {
    const ObservedEvent event{records.back(), processes_.of(header_of(records.back())),
                              records.first(records.size() - 1)};
    if (event.in_flight() || (most_ != 0 && result_.matches >= most_)) return;
    ++result_.matches;
    for (std::size_t i = 0; i < actions_.size(); ++i) {
      if (quantities_[i]) result_.sums[i] += quantities_[i]->number(event).value_or(0.0);
    }
    if (prints_) keep(records);
    if (event.process == nullptr) return;
    last_[event.process->process] = {event.process, {records.begin(), records.end()}};
  }

  void act_on(const LastOf& last) {
    for (const RequestAction& action : actions_)
      steering_.act(action, *last.report, names_->process_name(last.report->process));
    if (runs_ && !prints_) keep(last.event);
  }

  void keep(std::span<const TraceTuple> event) {
    if (waiting_.size() + event.size() <= max_waiting)
      waiting_.insert(waiting_.end(), event.begin(), event.end());
    else
      dropped_ += event.size();
  }

  std::uint64_t most_;
  const PlanNames* names_;
  RecordProcesses processes_;
  RepeatedEvents repeated_;
  ProcessSteering steering_;
  std::vector<RequestAction> actions_;
  std::vector<std::optional<Expression>> quantities_;
  bool prints_{false};
  bool runs_{false};
  RequestResult result_;
  std::map<std::uint32_t, LastOf> last_;  // for one view, by process
  std::vector<TraceTuple> waiting_;       // events to pass on, until their view has arrived
  std::uint64_t dropped_{0};              // events that did not fit there
};

std::vector<ParameterSpec> request_parameters() {
  ParameterSpec actions{"actions", ParameterKind::texts};
  actions.required = true;
  actions.help = "what is done, as `trigger --do` takes it";
  ParameterSpec most{"most", ParameterKind::integer, std::int64_t{0}};
  most.least = 0;
  most.help = "for how many events; 0: for all";
  return {actions, most};
}

}  // namespace

ScopeWrapperInfo request_wrapper(const SteeredProcesses& processes) {
  return {wrapper_name, "does something with events where they are read", true, request_parameters(),
          [processes](const Parameters& given, const PlanNames& names) {
            return std::make_unique<RequestOperator>(
                parameter<std::vector<std::string>>(given, "actions"),
                static_cast<std::uint64_t>(parameter<std::int64_t>(given, "most")), processes, names);
          }};
}

void request_at_servers(ScopeTree& tree, const std::vector<std::string>& actions, std::uint64_t most) {
  put_where_read(tree, wrapper_name, {{"actions", actions}, {"most", static_cast<std::int64_t>(most)}});
}

bool steers_processes(const ScopeNode& tree) {
  if (tree.wrapper == wrapper_name) {
    const auto given = tree.parameters.find("actions");
    const auto* const actions =
        given == tree.parameters.end() ? nullptr : std::get_if<std::vector<std::string>>(&given->second);
    if (actions != nullptr && std::ranges::any_of(*actions, [](const std::string& text) {
          return is_steering(request_action(text).kind);
        }))
      return true;
  }
  return std::ranges::any_of(tree.children, steers_processes);
}

}  // namespace eventspace
