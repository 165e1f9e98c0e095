#include "monitors/top/live.h"

#include <poll.h>
#include <signal.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <optional>

#include <eventspace/deadline.h>
#include <eventspace/error.h>
#include "monitors/top/terminal/job_control.h"

namespace eventspace::top {
namespace {

// After an escape byte without another byte for so long, the key was Escape itself.
constexpr std::chrono::milliseconds within_key{50};

// For poll(2): -1 means unlimited. Rounded up, or the loop would spin until the deadline.
int milliseconds_to(Deadline deadline) {
  if (deadline.is_never()) return -1;
  constexpr std::chrono::milliseconds longest{std::chrono::hours(1)};
  return static_cast<int>(
      std::min(longest, std::chrono::ceil<std::chrono::milliseconds>(deadline.left())).count());
}

class Live {
 public:
  Live(Terminal& terminal, Sampler& sampler, Model& model, Display& display, SignalWaiter& signals,
       Playback* playback)
      : terminal_(terminal),
        sampler_(sampler),
        model_(model),
        display_(display),
        signals_(signals),
        playback_(playback) {}

  Left run(const WatchLoop::Limits& limits) {
    set_wishes();
    const Deadline end = limits.duration ? Deadline::after(*limits.duration) : Deadline::never();
    const auto has_shown_enough = [&] { return limits.looks != 0 && model_.state().pulls >= limits.looks; };
    while (!is_over_ && !display_.is_over() && !has_shown_enough() && !end.passed()) {
      draw();
      wait(end);
      if (playback_ != nullptr && playback_->take_jump()) return Left::by_jump;
    }
    return Left::at_end;
  }

 private:
  void draw() {
    if (!is_stale_ || terminal_.is_writing()) return;
    terminal_.show(display_.draw(model_.state(), terminal_.size()));
    is_stale_ = false;
  }

  void wait(Deadline end) {
    std::array<pollfd, 4> ready{{{terminal_.input(), POLLIN, 0},
                                 {signals_.descriptor(), POLLIN, 0},
                                 {sampler_.descriptor(), POLLIN, 0},
                                 {terminal_.is_writing() ? terminal_.output() : -1, POLLOUT, 0}}};
    const Deadline until = keys_.is_within_key() ? earlier(end, Deadline::after(within_key)) : end;
    const int found = ::poll(ready.data(), ready.size(), milliseconds_to(until));
    if (found < 0 && errno != EINTR)
      throw EnvironmentError::from_errno("cannot wait for the terminal", errno);
    if (found == 0) press(keys_.pause());
    // Input before signals: once this process is stopped, another one may read the input.
    if (ready[0].revents != 0) take_input();
    if (ready[1].revents != 0) take_signals();
    if (ready[2].revents != 0) take_sample();
    if (ready[3].revents != 0 && !terminal_.write()) lose_terminal();
  }

  void take_input() {
    const auto bytes = Terminal::read();
    if (!bytes) {
      lose_terminal();
    } else {
      press(keys_.read(*bytes));
    }
  }

  void press(const std::vector<Key>& keys) {
    for (const Key& key : keys) {
      if (key.name == KeyName::redraw) terminal_.redraw();
      display_.press(key, model_.state());
      is_stale_ = true;
    }
    set_wishes();
  }

  void set_wishes() {
    sampler_.set_paused(playback_ != nullptr ? stands_still() : display_.is_paused());
    sampler_.set_with_servers(display_.needs_servers());
    sampler_.set_with_collectives(display_.needs_collectives());
    sampler_.set_with_streams(display_.needs_streams());
  }

  // Whether playback is paused and its current position was sampled.
  [[nodiscard]] bool stands_still() const {
    return (!playback_->plays() || playback_->is_at_end()) && sampled_ == playback_->position();
  }

  void take_sample() {
    const auto sample = sampler_.take();
    if (!sample || display_.is_paused()) return;
    model_.observe(*sample);
    is_stale_ = true;
    if (playback_ == nullptr) return;
    sampled_ = playback_->position_of(sample->at);
    set_wishes();
  }

  void take_signals() {
    while (const auto signal = signals_.next({})) {
      switch (*signal) {
        case SIGTSTP:
          terminal_.leave();
          stop_this_process();
          enter_again();
          break;
        case SIGCONT:  // another program may have changed the terminal
          enter_again();
          break;
        case SIGWINCH:
          terminal_.redraw();
          break;
        default:
          is_over_ = true;
      }
      is_stale_ = true;
    }
  }

  // SIGCONT also arrives when the terminal is gone, because its end continues stopped processes.
  void enter_again() {
    if (!terminal_.enter()) lose_terminal();
  }

  // Ignores SIGHUP, which may arrive only now and would end this process before it prints its summary.
  void lose_terminal() {
    is_over_ = true;
    ::signal(SIGHUP, SIG_IGN);
  }

  Terminal& terminal_;
  Sampler& sampler_;
  Model& model_;
  Display& display_;
  SignalWaiter& signals_;
  Playback* playback_;
  std::optional<std::chrono::nanoseconds> sampled_;  // the position of the last sample
  KeyReader keys_;
  bool is_stale_{true};
  bool is_over_{false};
};

}  // namespace

SignalWaiter live_signals() { return SignalWaiter{SIGINT, SIGTERM, SIGHUP, SIGWINCH, SIGTSTP, SIGCONT}; }

Left run_live(Terminal& terminal, Sampler& sampler, Model& model, Display& display, SignalWaiter& signals,
              const WatchLoop::Limits& limits, Playback* playback) {
  return Live(terminal, sampler, model, display, signals, playback).run(limits);
}

}  // namespace eventspace::top
