#include "monitors/top/sampler.h"

#include <sys/eventfd.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdint>
#include <utility>

#include <eventspace/error.h>
#include "tuplespace/system/library_thread.h"

namespace eventspace::top {

using std::chrono::steady_clock;

Sampler::Sampler(Looker& looker) : Sampler(looker, [&looker] { return looker.pause(); }) {}

Sampler::Sampler(Looker& looker, Pause pause)
    : looker_(&looker), pause_(std::move(pause)), news_(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)) {
  if (!news_.valid()) throw EnvironmentError::from_errno("cannot make an eventfd", errno);
  thread_ = start_library_thread([this] { run(); });
}

Sampler::~Sampler() {
  wish(&Wish::is_over, true, true);
  thread_.join();
}

std::optional<Sample> Sampler::take() {
  std::uint64_t told = 0;
  (void)!::read(news_.get(), &told, sizeof told);  // fails if no sample was announced
  const std::lock_guard lock(mutex_);
  if (failure_) std::rethrow_exception(failure_);
  return std::exchange(newest_, std::nullopt);
}

void Sampler::set_paused(bool paused) { wish(&Wish::is_paused, paused, !paused); }
void Sampler::set_with_servers(bool servers) { wish(&Wish::with_servers, servers, servers); }

void Sampler::set_with_collectives(bool collectives) {
  wish(&Wish::with_collectives, collectives, collectives);
}

void Sampler::set_with_streams(bool streams) { wish(&Wish::with_streams, streams, streams); }

void Sampler::wish(bool Wish::*what, bool value, bool is_urgent) {
  const std::lock_guard lock(mutex_);
  if (wish_.*what == value) return;
  wish_.*what = value;
  wish_.is_urgent = wish_.is_urgent || is_urgent;
  changed_.notify_one();
}

// Returns false when the sampler must end.
bool Sampler::wait_for_turn(steady_clock::time_point due, Wish& wanted) {
  std::unique_lock lock(mutex_);
  // Urgent wishes wait too, because rates over a shorter time would be noise.
  const auto soonest = std::min(due, steady_clock::now() + std::chrono::milliseconds(250));
  changed_.wait_until(lock, soonest, [this] { return wish_.is_over; });
  const auto hurry = [this] { return wish_.is_over || (wish_.is_urgent && !wish_.is_paused); };
  if (!changed_.wait_until(lock, due, hurry))
    changed_.wait(lock, [&] { return hurry() || !wish_.is_paused; });
  wish_.is_urgent = false;
  wanted = wish_;
  return !wish_.is_over;
}

void Sampler::tell() const {
  const std::uint64_t one = 1;
  (void)!::write(news_.get(), &one, sizeof one);  // a full counter is readable too
}

steady_clock::time_point Sampler::next_turn() const { return steady_clock::now() + pause_(); }

void Sampler::run() {
  try {
    Wish wanted;
    for (auto due = steady_clock::now(); wait_for_turn(due, wanted); due = next_turn()) {
      Sample sample = looker_->look({wanted.with_servers, wanted.with_collectives, wanted.with_streams});
      const std::lock_guard lock(mutex_);
      newest_ = std::move(sample);
      tell();
    }
  } catch (...) {
    const std::lock_guard lock(mutex_);
    failure_ = std::current_exception();
    tell();
  }
}

}  // namespace eventspace::top
