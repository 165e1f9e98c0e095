#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <iostream>
#include <utility>
#include <vector>

#include <eventspace/error.h>
#include "monitors/cli/commands.h"
#include "monitors/events/value_printer.h"
#include "monitors/questions/asked_watch.h"
#include "monitors/questions/question_options.h"

namespace eventspace {
namespace {

struct ValuesOptions : WatchOptions {
  ValuesOptions() : WatchOptions{.scope = "values", .interval = std::chrono::seconds(1)} {}
  AskedScope asked{.name = "values"};
  bool total{false};
};

// A scope made for the command yields numbers, even if the user did not name any.
AskedScope with_numbers(AskedScope asked, const Plan& plan) {
  if (asked.is_given) return asked;
  Question& question = asked.question;
  if (question.is_empty() && plan.find_scope(asked.name) == nullptr)
    question.numbers["by"] = std::string("thread");
  else if (question.is_empty())
    return asked;
  question.makes_numbers = true;
  return asked;
}

bool makes_values(const ScopeNode& node) {
  if (node.wrapper == "aggregate") return true;
  return std::any_of(node.children.begin(), node.children.end(), makes_values);
}

void check(const ScopeTree& tree, const ValuesOptions& options) {
  if (!makes_values(tree.root)) {
    throw ConfigurationError(fmt::format(
        "scope {} computes no values; put the wrapper `aggregate` on one of its levels", tree.scope));
  }
  if (options.total && !tree.next) {
    throw ConfigurationError(fmt::format(
        "--total needs `read: next` in scope {}; each of its pulls reads the newest events, which may "
        "already be counted",
        tree.scope));
  }
}

class ValuesMonitor {
 public:
  explicit ValuesMonitor(const ValuesOptions& options)
      : options_(options),
        watch_(options_,
               {options.asked.question.is_about_the_last() ? Played::Part::end : Played::Part::all,
                options.count, options.count},
               [&options](const Plan& plan) { return with_numbers(options.asked, plan); }),
        printer_(std::cout, options.format) {
    check(watch_.tree(), options);
  }

  int run() {
    watch_.run(
        [this]() -> WatchLoop::Pause { return look() ? WatchLoop::Pause(options_.interval) : std::nullopt; });
    return watch_.conclude();
  }

 private:
  // Returns false when the output has failed.
  bool look() {
    if (!options_.total) values_.clear();
    do {
      View view = watch_.pull();
      watch_.tally().events += view.loss.reduced;
      merge(values_, std::move(view.aggregates));
    } while (watch_.loop().has_rest());
    lost_ = options_.total ? watch_.losses() : watch_.take_losses();
    return printer_.print(values_, watch_.loop().since_begin(watch_.loop().now()), lost_);
  }

  const ValuesOptions options_;
  AskedWatch watch_;
  ValuePrinter printer_;
  std::vector<Aggregate> values_;  // of this pull, or with --total of all pulls
  std::uint64_t lost_{0};          // events that may be missing in them
};

void add_options(CLI::App& app, ValuesOptions& options) {
  add_watch_options(app, options, "pulls");
  add_which_events(app, options.asked.question);
  add_numbers(app, options.asked.question);
  note_scope(app, options.asked);
  app.add_flag("--total", options.total, "Print the values of all pulls so far, instead of each pull");
}

}  // namespace

Command values_command() {
  const CommandGuide guide{
      .group = CommandGroup::watching,
      .examples = {{"eventspace values app.yaml", "the numbers of each second"},
                   {"eventspace values app.yaml --total --for 1min", "the values of a minute, accumulated"}},
      .statuses = {{exit_unreachable, "no event was received, and no view was whole"}}};
  return {"values", "Show counts, means and distributions that a scope computes from events",
          with_options<ValuesOptions>(
              add_options, [](const ValuesOptions& options) { return ValuesMonitor(options).run(); }),
          guide};
}

}  // namespace eventspace
