#include "monitors/metrics/alert_commands.h"

#include <fmt/format.h>

#include <chrono>
#include <thread>

#include "monitors/text/counted.h"
#include "tuplespace/system/deadline.h"
#include "tuplespace/system/error.h"

namespace eventspace {

void AlertCommands::run(const RaisedAlert& alert) {
  if (command_.empty()) return;
  look();
  if (running_.size() >= most) {
    ++skipped_;
    return;
  }
  ChildSpec spec;
  spec.command = {"/bin/sh", "-c", command_};
  spec.environment = {
      {"EVENTSPACE_ALERT", alert.rule},
      {"EVENTSPACE_METRIC", alert.metric},
      {"EVENTSPACE_OBJECTS", alert.objects},
      {"EVENTSPACE_VIRTUAL_TIME", alert.virtual_time ? std::to_string(*alert.virtual_time) : ""},
      {"EVENTSPACE_VALUE", fmt::format("{}", alert.number)},
      {"EVENTSPACE_UNIT", alert.unit}};
  if (surroundings_.is_on_screen) spec.output = "/dev/null";
  try {
    running_.push_back(ChildProcess::start(spec));
  } catch (const EnvironmentError& error) {
    surroundings_.say(fmt::format("--alert-run: {}", error.what()));
  }
}

void AlertCommands::look() {
  std::erase_if(running_, [this](ChildProcess& child) {
    const auto ended = child.poll();
    if (ended && !ended->is_fine())
      surroundings_.say(fmt::format("--alert-run: '{}' {}", command_, to_string(*ended)));
    return ended.has_value();
  });
}

void AlertCommands::conclude() {
  constexpr std::chrono::milliseconds pause{10};
  const Deadline end = Deadline::after(std::chrono::seconds(10));
  for (look(); !running_.empty() && !end.passed(); look()) std::this_thread::sleep_for(pause);
  if (!running_.empty())
    surroundings_.say(
        fmt::format("--alert-run: {} still run, and are left alone", counted(running_.size(), "command")));
  if (skipped_ > 0)
    surroundings_.say(fmt::format("--alert-run: {} started no command, because {} ran already",
                                  counted(skipped_, "alert"), most));
}

}  // namespace eventspace
