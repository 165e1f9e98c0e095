#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <string>

namespace eventspace::preloading {

/// The places in the program that call the message library, by their return addresses. Bounded: places that
/// do not fit, or are not in a file, have the number 0.
///
/// Thread-safe. A place that was seen before is found without waiting; a new place is named in the session,
/// which may make system calls.
class CallSites {
 public:
  static constexpr std::size_t slots = 8192;
  static constexpr std::uint16_t most = 4096;

  [[nodiscard]] std::uint16_t number_of(const void* return_address) noexcept {
    const auto address = reinterpret_cast<std::uintptr_t>(return_address);
    std::size_t at = home_of(address);
    for (std::size_t i = 0; i < reach; ++i, at = (at + 1) % slots) {
      const std::uintptr_t there = slots_[at].address.load(std::memory_order_acquire);
      if (there == address) [[likely]]
        return slots_[at].number.load(std::memory_order_relaxed);
      if (there == 0) break;
    }
    return add(address);
  }

 private:
  static constexpr std::size_t reach = 32;
  struct Slot {
    std::atomic<std::uintptr_t> address{0};
    std::atomic<std::uint16_t> number{0};
  };
  static std::size_t home_of(std::uintptr_t address) noexcept {
    constexpr std::uint64_t spread = 0x9e3779b97f4a7c15;  // Knuth's multiplicative hash
    return static_cast<std::size_t>((address * spread) >> 40) % slots;
  }
  std::uint16_t add(std::uintptr_t address) noexcept;

  std::array<Slot, slots> slots_{};
  std::mutex mutex_;  // guards changes
  std::atomic<std::uint16_t> count_{0};
};

/// "MODULE+0xADDRESS" of the instruction before this return address: MODULE is the path of the program or the
/// shared library, ADDRESS is as in the file, so that `addr2line -e MODULE ADDRESS` understands it. Empty if
/// it is not in a file. Allocates.
std::string place_of(std::uintptr_t return_address);

}  // namespace eventspace::preloading
