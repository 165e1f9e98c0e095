#include "monitors/watching/own_pace.h"

#include <algorithm>
#include <atomic>

namespace eventspace {
namespace {

std::atomic<std::uint32_t> stretch{1};

}  // namespace

void stretch_own_pauses(std::uint32_t factor) noexcept { stretch.store(factor, std::memory_order_relaxed); }

std::chrono::nanoseconds own_pause(std::chrono::nanoseconds pause) noexcept {
  const std::uint32_t factor = stretch.load(std::memory_order_relaxed);
  if (factor == 1 || pause >= longest_stretched_pause) return pause;
  return std::min<std::chrono::nanoseconds>(pause * factor, longest_stretched_pause);
}

}  // namespace eventspace
