#include "monitors/servers/shell_commands.h"

#include <fmt/format.h>

#include <chrono>
#include <thread>

#include <eventspace/deadline.h>
#include <eventspace/error.h>
#include "monitors/text/counted.h"

namespace eventspace {

void ShellCommands::say(const std::string& text) const {
  surroundings_.say(fmt::format("{}: {}", surroundings_.option, text));
}

void ShellCommands::run(std::map<std::string, std::string> environment) {
  if (command_.empty()) return;
  look();
  if (running_.size() >= most) {
    ++skipped_;
    return;
  }
  ChildSpec spec;
  spec.command = {"/bin/sh", "-c", command_};
  spec.environment = std::move(environment);
  if (surroundings_.is_on_screen) spec.output = "/dev/null";
  try {
    running_.push_back(ChildProcess::start(spec));
  } catch (const EnvironmentError& error) {
    say(error.what());
  }
}

void ShellCommands::look() {
  std::erase_if(running_, [this](ChildProcess& child) {
    const auto ended = child.poll();
    if (ended && !ended->is_fine()) say(fmt::format("'{}' {}", command_, to_string(*ended)));
    return ended.has_value();
  });
}

void ShellCommands::conclude() {
  constexpr std::chrono::milliseconds pause{10};
  const Deadline end = Deadline::after(std::chrono::seconds(10));
  for (look(); !running_.empty() && !end.passed(); look()) std::this_thread::sleep_for(pause);
  if (!running_.empty())
    say(fmt::format("{} still running at the end, not stopped", counted(running_.size(), "command")));
  if (skipped_ > 0)
    say(fmt::format("{} did not start a command, because {} were running already",
                    counted(skipped_, surroundings_.cause), most));
}

}  // namespace eventspace
