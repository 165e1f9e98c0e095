#include "collectors/clock.h"

#include <gtest/gtest.h>

#include <chrono>
#include <cstdlib>

#include <eventspace/error.h>

namespace eventspace {
namespace {

TEST(ClockTest, AReadingIsNeverBeforeTheLastOne) {
  const Clock& clock = Clock::instance();
  std::uint64_t last = clock.now();
  for (int i = 0; i < 100'000; ++i) {
    const std::uint64_t now = clock.now();
    ASSERT_GE(now, last);
    last = now;
  }
}

/// A reading of the clock between two readings of another clock, whatever their durations.
template <class Other>
struct BoundedReading {
  typename Other::time_point before = Other::now();
  std::uint64_t ticks = Clock::instance().now();
  typename Other::time_point after = Other::now();
};

// Allowed beyond the error of the calibration, because the kernel slews its clocks by up to a 2000th.
constexpr double slewed = 0.001;

TEST(ClockTest, TicksBecomeTheTimeOfTheSteadyClock) {
  using Steady = std::chrono::steady_clock;
  const ClockCalibration& calibration = Clock::instance().calibration();
  const BoundedReading<Steady> first;
  while (Steady::now() - first.after < std::chrono::milliseconds(20)) {
  }
  const BoundedReading<Steady> second;
  const double converted = calibration.ns_between(first.ticks, second.ticks);
  const double off = calibration.error_ppm / 1e6 + slewed;
  const std::chrono::duration<double, std::nano> least = second.before - first.after;
  const std::chrono::duration<double, std::nano> most = second.after - first.before;
  EXPECT_GE(converted, least.count() * (1 - off));
  EXPECT_LE(converted, most.count() * (1 + off));
}

TEST(ClockTest, AReadingBecomesTheTimeOfDay) {
  const BoundedReading<std::chrono::system_clock> reading;
  const auto converted =
      std::chrono::nanoseconds(Clock::instance().calibration().to_realtime_ns(reading.ticks));
  const auto sure = std::chrono::milliseconds(500);
  EXPECT_GT(converted, reading.before.time_since_epoch() - sure);
  EXPECT_LT(converted, reading.after.time_since_epoch() + sure);
}

TEST(ClockTest, TheClockThatACalibrationDescribesCanBeRead) {
  const Clock& clock = Clock::instance();
  const std::uint64_t before = clock.now();
  const std::uint64_t other = Clock::now(clock.calibration());
  EXPECT_LE(before, other);
  EXPECT_LE(other, clock.now());
}

TEST(ClockTest, ItsErrorIsKnownAndSmall) {
  EXPECT_GE(Clock::instance().calibration().error_ppm, 0.0);
  EXPECT_LT(Clock::instance().calibration().error_ppm, 10'000.0);
}

TEST(ClockCalibrationTest, TimeBetweenReadingsHasASign) {
  ClockCalibration calibration;
  calibration.ns_per_tick = 0.5;
  EXPECT_EQ(calibration.ns_between(100, 300), 100.0);
  EXPECT_EQ(calibration.ns_between(300, 100), -100.0);
  calibration.ticks = 1000;
  calibration.realtime_ns = 5000;
  EXPECT_EQ(calibration.to_realtime_ns(1200), 5100);
  EXPECT_EQ(calibration.to_realtime_ns(800), 4900);
}

TEST(ClockCalibrationTest, TimesThatDoNotFitEndAtALimit) {
  ClockCalibration calibration;
  calibration.ns_per_tick = 9.9e8;
  calibration.realtime_ns = 5000;
  const std::int64_t last = calibration.to_realtime_ns(std::uint64_t{1} << 62);
  EXPECT_EQ(last, 4'000'000'000'000'005'000);
  EXPECT_EQ(calibration.to_realtime_ns(std::uint64_t{1} << 63), 10'000 - last);
}

/// The texts of the kernel, shortened.
const std::string good_cpu = "processor : 0\nflags : fpu constant_tsc nonstop_tsc sse\n";

TEST(TrustworthyCounterTest, NeedsBothFlagsAndTheKernelsWord) {
  EXPECT_TRUE(tsc_is_trustworthy(good_cpu, "tsc hpet acpi_pm\n"));
  EXPECT_FALSE(tsc_is_trustworthy(good_cpu, "kvm-clock acpi_pm\n"));
  EXPECT_FALSE(tsc_is_trustworthy("flags : constant_tsc\n", "tsc\n"));
  EXPECT_FALSE(tsc_is_trustworthy("flags : nonstop_tsc\n", "tsc\n"));
}

TEST(TrustworthyCounterTest, LooksForWholeWords) {
  EXPECT_FALSE(tsc_is_trustworthy("flags : constant_tsc_x nonstop_tsc\n", "tsc\n"));
  EXPECT_FALSE(tsc_is_trustworthy(good_cpu, "tsc-early\n"));
}

TEST(TrustworthyCounterTest, TextsThatSayNothingDoNotVouch) {
  EXPECT_FALSE(tsc_is_trustworthy("", ""));
  EXPECT_FALSE(tsc_is_trustworthy("flags", "tsc"));
}

// The choice is made once per process, so each of these runs in a process of its own.

int source_with(const char* choice) {
  ::setenv("EVENTSPACE_CLOCK", choice, 1);
  try {
    return static_cast<int>(Clock::instance().calibration().source);
  } catch (const ConfigurationError& error) {
    return std::string(error.what()).find("tsc, monotonic") == std::string::npos ? 98 : 99;
  }
}

TEST(ClockChoiceDeathTest, TheEnvironmentOverridesIt) {
  testing::GTEST_FLAG(death_test_style) = "threadsafe";
  EXPECT_EXIT(std::exit(source_with("monotonic")), testing::ExitedWithCode(1), "");
#if defined(__x86_64__)
  EXPECT_EXIT(std::exit(source_with("tsc")), testing::ExitedWithCode(2), "");
#endif
}

TEST(ClockChoiceDeathTest, AnUnknownWordIsRefusedWithTheKnownOnes) {
  testing::GTEST_FLAG(death_test_style) = "threadsafe";
  EXPECT_EXIT(std::exit(source_with("sundial")), testing::ExitedWithCode(99), "");
}

}  // namespace
}  // namespace eventspace
