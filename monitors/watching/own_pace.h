#pragma once

#include <chrono>
#include <cstdint>

namespace eventspace {

/// How much longer this process pauses between its pulls than it was asked to, so that watching costs less:
/// like its priority, one setting for the whole process. RealTime::wait() applies it; pauses grow up to
/// `longest_stretched_pause`, and longer ones stay as they are. Thread-safe.
inline constexpr std::chrono::seconds longest_stretched_pause{5};

/// `factor`: at least 1.
void stretch_own_pauses(std::uint32_t factor) noexcept;
/// Returns the pause to make instead of `pause`.
std::chrono::nanoseconds own_pause(std::chrono::nanoseconds pause) noexcept;

}  // namespace eventspace
