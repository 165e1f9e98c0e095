#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <iostream>
#include <set>
#include <utility>

#include <eventspace/error.h>
#include "monitors/cli/commands.h"
#include "monitors/cli/options.h"
#include "monitors/cli/stop_signals.h"
#include "monitors/elements/element_rows.h"
#include "monitors/text/plain_output.h"
#include "monitors/watching/reach.h"
#include "monitors/watching/timeline.h"
#include "monitors/watching/watch_loop.h"
#include "monitors/watching/watched.h"
#include "pathmaps/sessions/consumer.h"
#include "paths/parameters/glob.h"
#include "tuplespace/sockets/session_socket.h"

namespace eventspace {
namespace {

using std::chrono::nanoseconds;

struct ElementsOptions {
  std::filesystem::path pathmap;
  std::string session;
  std::string elements{"**"};
  nanoseconds interval = std::chrono::seconds(1);
  nanoseconds timeout{0};
  std::size_t count{1};
  Format format{Format::text};
};

class ElementsMonitor {
 public:
  explicit ElementsMonitor(const ElementsOptions& options)
      : options_(options),
        watched_(find_watched(options.pathmap, options.session)),
        consumer_(watched_.plan, watched_.session),
        asker_(watched_.plan, consumer_.session()) {
    if (const auto fault = glob_fault(options.elements); !fault.empty())
      throw ConfigurationError(fmt::format("--elements: the pattern '{}' {}", options.elements, fault));
    const Plan& plan = *watched_.plan;
    if (!plan.has_pathmap && plan.nodes[NodeIndex(0)].port != 0) {
      throw EnvironmentError(
          fmt::format("the observer port of a session without a pathmap does not list its elements; run "
                      "`eventspace elements {}` on the machine of the session",
                      plan.name));
    }
    const auto matches = [&](const ElementPlan& element) {
      return glob_match(options.elements, element.name);
    };
    if (plan.has_pathmap && std::ranges::none_of(plan.elements, matches))
      throw ConfigurationError(nothing_matches());
  }

  int run() {
    require_hosts();
    before_ = asker_.ask(patience());
    asked_ = time_.now();
    WatchLoop loop(time_, {.looks = options_.count});
    if (loop.wait(options_.interval)) return exit_fine;
    loop.run([this] { return look(); });
    if (has_any_answer_) return exit_fine;
    print_message(
        fmt::format("no host of an element answers: the application has not started yet, or has "
                    "ended; `eventspace run {}` starts it",
                    words_of({options_.pathmap, options_.session})));
    return exit_unreachable;
  }

 private:
  [[nodiscard]] nanoseconds patience() const {
    return options_.timeout.count() > 0 ? options_.timeout : nanoseconds(std::chrono::seconds(1));
  }

  // run() has waited fully for silent hosts, so the first look need not wait again.
  [[nodiscard]] nanoseconds patience_with_silent() {
    return std::exchange(is_first_look_, false) ? patience() / 8 : patience();
  }

  void require_hosts() {
    const Plan& plan = *watched_.plan;
    if (plan.has_pathmap) {
      require_servers(consumer_, servers_of(plan), {options_.pathmap, options_.session}, options_.timeout);
    } else if (!SessionSocket(plan.name).is_served_soon(Deadline::after(patience()))) {
      throw EnvironmentError(
          fmt::format("session '{}' has no elements: its server is not running; it runs from the first use "
                      "of a path until 10 seconds after the end of the last process",
                      plan.name));
    }
  }

  // The servers that are queried directly, without servers behind a gateway.
  static std::set<std::string> servers_of(const Plan& plan) {
    std::set<std::string> endpoints;
    for (const NodePlan& node : plan.nodes) {
      const auto gateway = node.cluster ? plan.clusters[*node.cluster].gateway : std::nullopt;
      endpoints.insert(gateway ? plan.nodes[*gateway].endpoint() : node.endpoint());
    }
    return endpoints;
  }

  WatchLoop::Pause look() {
    const std::vector<ElementAnswer> answers = asker_.ask(patience(), patience_with_silent());
    const Timeline::Time now = time_.now();
    for (const ElementAnswer& answer : answers) has_any_answer_ |= answer.refusal.empty();
    has_any_answer_ |= answers.empty();  // without elements to query
    auto rows = element_rows(*watched_.plan, users(), answers, before_, now - asked_);
    std::erase_if(rows, [this](const ElementRow& row) { return !glob_match(options_.elements, row.name); });
    if (rows.empty()) throw ConfigurationError(nothing_matches());
    print_rows(std::cout, options_.format, rows);
    std::cout.flush();
    before_ = answers;
    asked_ = now;
    return std::cout ? WatchLoop::Pause(options_.interval) : std::nullopt;
  }

  [[nodiscard]] std::string nothing_matches() const {
    if (options_.elements == ElementsOptions().elements) return "found no elements";
    return fmt::format("--elements '{}' matches no element; `eventspace elements {}` shows all",
                       options_.elements, words_of({options_.pathmap, options_.session}));
  }

  std::map<std::string, std::string> users() {
    if (watched_.plan->has_pathmap) return users_in(*watched_.plan);
    EventScope scope = consumer_.open("heartbeat");
    return users_in(scope.pull({}), consumer_.names());
  }

  const ElementsOptions options_;
  StopSignals signals_;
  RealTime time_{signals_};
  const Watched watched_;
  Consumer consumer_;
  ElementAsker asker_;
  std::vector<ElementAnswer> before_;
  Timeline::Time asked_;
  bool has_any_answer_{false};
  bool is_first_look_{true};
};

void add_options(CLI::App& app, ElementsOptions& options) {
  add_watched(app, options.pathmap);
  add_session(app, options.session);
  add_format(app, options.format);
  app.add_option("--elements", options.elements, "Show only elements whose names match [**]")
      ->type_name("GLOB");
  add_duration(app, "--interval", options.interval,
               "Time between tables, over which rates are measured [1s]");
  add_count(app, options.count, "tables; 0 means no limit", "1");
  add_pull_timeout(app, options.timeout);
}

}  // namespace

Command elements_command() {
  const CommandGuide guide{
      .group = CommandGroup::watching,
      .examples = {{"eventspace elements app.yaml", "how full each element is, its users and its throughput"},
                   {"eventspace elements app.yaml --elements 'queue*' --count 0",
                    "some elements, every second"}},
      .statuses = {{exit_unreachable, "no host of an element answers"}}};
  return {"elements", "Show the fill, users and throughput of elements",
          with_options<ElementsOptions>(
              add_options, [](const ElementsOptions& options) { return ElementsMonitor(options).run(); }),
          guide};
}

}  // namespace eventspace
