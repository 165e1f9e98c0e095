#include "tests/campaign/actors.h"

#include <signal.h>

#include "tests/monitors/workplace.h"
#include "tests/tuplespace/stopped_process.h"

namespace eventspace::testing_campaign {

void Actor::start() {
  ChildSpec spec;
  spec.command = command_;
  spec.output = log(processes_++);
  process_.emplace(ChildProcess::start(spec));
  state_ = State::runs;
}

void Actor::stop(Time until) {
  test::stop_whole(process_->pid());
  state_ = State::stopped;
  until_ = until;
}

void Actor::kill(Time until) {
  process_->signal(SIGKILL);
  process_->wait();
  state_ = State::gone;
  until_ = until;
}

void Actor::end(Time until) {
  process_->signal(SIGTERM);
  process_->wait_or_kill(testing_commands::generous);
  state_ = State::gone;
  until_ = until;
}

void Actor::go_on() {
  process_->signal(SIGCONT);
  state_ = State::runs;
}

std::vector<std::string> Actor::said() const {
  std::vector<std::string> texts;
  for (std::size_t number = 0; number < processes_; ++number)
    texts.push_back(testing_commands::read_text(log(number)));
  return texts;
}

std::filesystem::path Actor::log(std::size_t number) const {
  return logs_ / (name_ + "-" + std::to_string(number) + ".log");
}

}  // namespace eventspace::testing_campaign
