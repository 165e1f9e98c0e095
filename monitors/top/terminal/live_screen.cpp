#include "monitors/top/terminal/live_screen.h"

#include <poll.h>
#include <signal.h>

#include <algorithm>
#include <array>
#include <cerrno>

#include <eventspace/deadline.h>
#include <eventspace/error.h>
#include "monitors/top/terminal/job_control.h"

namespace eventspace::top {
namespace {

// When no byte follows an escape byte within this time, the key was Escape itself.
constexpr std::chrono::milliseconds within_key{50};

}  // namespace

bool LiveScreen::wait(std::chrono::nanoseconds pause) {
  const Deadline end = Deadline::after(pause);
  draw();
  while (!is_gone_ && !page_.is_over() && !signals_.stopped() && !end.passed()) {
    take_signals();  // stopped() may have received them
    wait_for_input(end.left());
  }
  return !is_gone_ && !page_.is_over() && !signals_.stopped();
}

void LiveScreen::draw() {
  if (!terminal_.is_writing()) terminal_.show(page_.draw(terminal_.size()));
  if (!terminal_.write()) is_gone_ = true;
}

void LiveScreen::wait_for_input(std::chrono::nanoseconds limit) {
  std::array<pollfd, 3> ready{{{terminal_.input(), POLLIN, 0},
                               {signals_.descriptor(), POLLIN, 0},
                               {terminal_.is_writing() ? terminal_.output() : -1, POLLOUT, 0}}};
  const auto longest = keys_.is_within_key() ? within_key : std::chrono::milliseconds(std::chrono::hours(1));
  const auto patience = std::min(longest, std::chrono::ceil<std::chrono::milliseconds>(limit));
  const int found = ::poll(ready.data(), ready.size(), static_cast<int>(patience.count()));
  if (found < 0 && errno != EINTR) throw EnvironmentError::from_errno("cannot wait for the terminal", errno);
  if (found == 0) {
    for (const Key& key : keys_.pause()) page_.press(key);
  }
  if (ready[0].revents != 0) take_input();
  if (ready[1].revents != 0) take_signals();
  if (ready[2].revents != 0 && !terminal_.write()) is_gone_ = true;
}

void LiveScreen::take_input() {
  const auto bytes = Terminal::read();
  is_gone_ = is_gone_ || !bytes;
  if (is_gone_) return;
  for (const Key& key : keys_.read(*bytes)) {
    if (key.name == KeyName::redraw) terminal_.redraw();
    page_.press(key);
  }
  draw();
}

void LiveScreen::take_signals() {
  bool came = false;
  while (const auto signal = signals_.next_of_screen()) {
    came = true;
    if (*signal == SIGTSTP) {
      terminal_.leave();
      stop_this_process();
    }
    if (*signal == SIGWINCH) {
      terminal_.redraw();
    } else if (!terminal_.enter()) {  // another program may have changed the terminal
      is_gone_ = true;
    }
  }
  if (came) draw();
}

}  // namespace eventspace::top
