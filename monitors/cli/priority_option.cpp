#include "monitors/cli/priority_option.h"

#include <CLI/CLI.hpp>
#include <iostream>
#include <memory>
#include <string>
#include <vector>

#include "monitors/cli/checked_values.h"
#include "monitors/cli/options.h"
#include "tuplespace/processes/priority.h"

namespace eventspace {
namespace {

struct Wish {
  Priority priority{Priority::low};
  bool is_given{false};
};

void say(const std::string& complaint) {
  if (!complaint.empty()) std::cerr << "eventspace: note: " + complaint + '\n';
}

// Reports that the priority counts only within the terminal only if --priority was given.
void take(const Wish& wish) {
  say(take_priority(wish.priority));
  if (wish.is_given && wish.priority != Priority::normal && shares_its_session_group()) {
    return say(
        "the kernel divides processor time among terminal sessions first, so this priority counts only among "
        "the processes of this terminal; start the monitor by `setsid -w eventspace ...`, or set `sysctl "
        "kernel.sched_autogroup_enabled=0`");
  }
  say(take_session_priority(wish.priority));
}

}  // namespace

void add_priority(CLI::App& app) {
  const auto wish = std::make_shared<Wish>();
  const std::vector<std::string> words{"idle", "low", "normal"};
  const auto choose = [wish, words](std::size_t chosen) {
    wish->priority = priority_from(words[chosen]).value_or(wish->priority);
    wish->is_given = true;
  };
  add_choice_of(app, "--priority", words, choose, "Scheduling priority of this monitor [low]")
      ->group(common_options);
  app.parse_complete_callback([wish] { take(*wish); });
}

}  // namespace eventspace
