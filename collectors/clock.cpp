#include "collectors/clock.h"

#include <fmt/format.h>

#include <chrono>
#include <cstdlib>
#include <ctime>
#include <limits>
#include <sstream>
#include <string_view>

#include <eventspace/error.h>
#include "tuplespace/system/file_beginning.h"

namespace eventspace {
namespace {

std::uint64_t read_clock(clockid_t id) noexcept {
  timespec time{};
  clock_gettime(id, &time);
  return static_cast<std::uint64_t>(time.tv_sec) * 1'000'000'000 + static_cast<std::uint64_t>(time.tv_nsec);
}

std::uint64_t read_tsc() noexcept {
#if defined(__x86_64__)
  return __builtin_ia32_rdtsc();
#else
  return 0;
#endif
}

// Returns whether the first "flags" line contains `flag` as a whole word.
bool has_flag(const std::string& cpuinfo, std::string_view flag) {
  const std::size_t line = cpuinfo.find("flags");
  if (line == std::string::npos) return false;
  std::istringstream words(cpuinfo.substr(line, cpuinfo.find('\n', line) - line));
  for (std::string word; words >> word;) {
    if (word == flag) return true;
  }
  return false;
}

// A reading of the counter and of a kernel clock at almost the same time: the closest of several attempts.
struct Pair {
  std::uint64_t ticks{0};
  std::uint64_t monotonic{0};
  std::uint64_t uncertainty{std::numeric_limits<std::uint64_t>::max()};  // ticks between both readings
};

Pair read_pair() noexcept {
  Pair best;
  for (int i = 0; i < 32; ++i) {
    const std::uint64_t before = read_tsc();
    const std::uint64_t monotonic = read_clock(CLOCK_MONOTONIC);
    const std::uint64_t after = read_tsc();
    if (after - before < best.uncertainty) best = {before + (after - before) / 2, monotonic, after - before};
  }
  return best;
}

void calibrate_tsc(ClockCalibration& calibration) {
  constexpr std::uint64_t span_ns = 5'000'000;
  const Pair first = read_pair();
  while (read_clock(CLOCK_MONOTONIC) - first.monotonic < span_ns) {
  }
  const Pair second = read_pair();
  const auto ticks = static_cast<double>(second.ticks - first.ticks);
  calibration.ns_per_tick = static_cast<double>(second.monotonic - first.monotonic) / ticks;
  calibration.error_ppm = static_cast<double>(first.uncertainty + second.uncertainty) / ticks * 1e6;
  calibration.ticks = second.ticks;
  calibration.monotonic_ns = second.monotonic;
}

bool choose_tsc() {
  const char* const forced = std::getenv("EVENTSPACE_CLOCK");
  const std::string_view choice = forced != nullptr ? forced : "";
  if (choice == "monotonic") return false;
  if (choice == "tsc") return true;
  if (!choice.empty()) {
    throw ConfigurationError(fmt::format(
        "EVENTSPACE_CLOCK is '{}'; allowed: tsc, monotonic, or nothing to let EventSpace choose", choice));
  }
  return tsc_is_trustworthy(
      beginning_of_file("/proc/cpuinfo"),
      beginning_of_file("/sys/devices/system/clocksource/clocksource0/available_clocksource"));
}

}  // namespace

bool tsc_is_trustworthy(const std::string& cpuinfo, const std::string& clock_sources) {
  if (!has_flag(cpuinfo, "constant_tsc") || !has_flag(cpuinfo, "nonstop_tsc")) return false;
  std::istringstream words(clock_sources);
  for (std::string word; words >> word;) {
    if (word == "tsc") return true;
  }
  return false;
}

Clock::Clock() {
#if defined(__x86_64__)
  uses_tsc_ = choose_tsc();
#endif
  if (uses_tsc_) {
    calibration_.source = ClockSource::tsc;
    calibrate_tsc(calibration_);
  } else {
    calibration_.monotonic_ns = read_clock(CLOCK_MONOTONIC);
    calibration_.ticks = calibration_.monotonic_ns;
  }
  // CLOCK_REALTIME at the moment of the calibration, which is a little in the past now.
  calibration_.realtime_ns =
      read_clock(CLOCK_REALTIME) - (read_clock(CLOCK_MONOTONIC) - calibration_.monotonic_ns);
}

const Clock& Clock::instance() {
  static const Clock clock;
  return clock;
}

std::uint64_t Clock::monotonic_now() noexcept { return read_clock(CLOCK_MONOTONIC); }

std::uint64_t Clock::now(const ClockCalibration& calibration) noexcept {
  return calibration.source == ClockSource::tsc ? read_tsc() : monotonic_now();
}

}  // namespace eventspace
