#include "scopes/plugins/watched_thread.h"

#include <fmt/format.h>

#include <atomic>
#include <cassert>
#include <condition_variable>
#include <cstdint>
#include <exception>
#include <mutex>
#include <system_error>
#include <thread>
#include <utility>

#include <eventspace/error.h>
#include "tuplespace/system/library_thread.h"

namespace eventspace {
namespace {

std::atomic<std::size_t> left{0};

}  // namespace

struct WatchedThread::State {
  enum class Phase : std::uint8_t { idle, busy, done };

  std::thread thread;

  std::mutex
      mutex;  // guards all members below; held while the waker is called, so that tell() can exclude it
  std::condition_variable changed;
  Phase phase{Phase::idle};
  bool over{false};
  bool left_to_itself{false};
  Waker* waker{nullptr};
  std::function<void()> work;
  Outcome outcome;

  void run();
  void do_work();
};

// Needs no lock: while the phase is busy, only this thread uses `work` and `outcome`.
void WatchedThread::State::do_work() {
  outcome.failed = false;
  try {
    work();
    return;
  } catch (const std::exception& thrown) {
    outcome.error = thrown.what();
  } catch (...) {
    outcome.error = "an exception that is not a std::exception";
  }
  outcome.failed = true;
}

void WatchedThread::State::run() {
  std::unique_lock lock(mutex);
  for (;;) {
    changed.wait(lock, [this] { return phase == Phase::busy || over; });
    if (over) break;
    lock.unlock();
    do_work();
    work = nullptr;
    lock.lock();
    phase = Phase::done;
    if (waker != nullptr) waker->wake();
    waker = nullptr;
    changed.notify_all();
  }
  if (left_to_itself) --left;
}

WatchedThread::WatchedThread() : state_(std::make_shared<State>()) {
  if (left_to_themselves() < max_left) return;
  throw EnvironmentError(
      fmt::format("{} threads of this process are stuck in wrappers of closed scopes, or in filters of "
                  "closed streams; none with a limit is started until some of them return or the process is "
                  "restarted",
                  left_to_themselves()));
}

WatchedThread::~WatchedThread() {
  if (!state_->thread.joinable()) return;
  std::unique_lock lock(state_->mutex);
  state_->over = true;
  state_->waker = nullptr;
  state_->left_to_itself = state_->phase == State::Phase::busy;
  const bool is_busy = state_->left_to_itself;
  if (is_busy) ++left;
  state_->changed.notify_all();
  lock.unlock();
  if (is_busy) {
    state_->thread.detach();
  } else {
    state_->thread.join();
  }
}

std::size_t WatchedThread::left_to_themselves() noexcept { return left.load(); }

void WatchedThread::start(std::function<void()> work, Waker* waker) {
  const std::lock_guard lock(state_->mutex);
  assert(state_->phase == State::Phase::idle && "one piece of work at a time");
  state_->work = std::move(work);
  state_->phase = State::Phase::busy;
  state_->waker = waker;
  state_->changed.notify_all();
  if (state_->thread.joinable()) return;
  try {
    state_->thread = start_library_thread([state = state_] { state->run(); });
  } catch (const std::system_error& error) {
    state_->work = nullptr;
    state_->outcome.failed = true;
    state_->outcome.error = fmt::format("cannot start a thread for it: {}", error.what());
    state_->phase = State::Phase::done;
  }
}

void WatchedThread::tell(Waker* waker) {
  const std::lock_guard lock(state_->mutex);
  state_->waker = state_->phase == State::Phase::busy ? waker : nullptr;
}

bool WatchedThread::is_idle() const {
  const std::lock_guard lock(state_->mutex);
  return state_->phase == State::Phase::idle;
}

bool WatchedThread::is_done() const { return wait(Deadline::now()); }

bool WatchedThread::wait(Deadline until) const {
  std::unique_lock lock(state_->mutex);
  const auto done = [this] { return state_->phase == State::Phase::done; };
  if (until.is_never()) {
    state_->changed.wait(lock, done);
    return true;
  }
  if (until.is_now()) return done();
  return state_->changed.wait_until(lock, until.time(), done);
}

WatchedThread::Outcome WatchedThread::take() {
  const std::lock_guard lock(state_->mutex);
  assert(state_->phase == State::Phase::done && "the work has not finished");
  state_->phase = State::Phase::idle;
  return std::exchange(state_->outcome, {});
}

}  // namespace eventspace
