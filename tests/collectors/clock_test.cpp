#include "collectors/clock.h"

#include <gtest/gtest.h>

#include <chrono>
#include <cstdlib>
#include <thread>

#include "tuplespace/error.h"

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

TEST(ClockTest, TicksBecomeTheTimeThatTheSteadyClockTells) {
  const Clock& clock = Clock::instance();
  const auto steady = std::chrono::steady_clock::now();
  const std::uint64_t ticks = clock.now();
  while (std::chrono::steady_clock::now() - steady < std::chrono::milliseconds(20)) {
  }
  const std::chrono::duration<double, std::nano> passed = std::chrono::steady_clock::now() - steady;
  const double told = clock.calibration().ns_between(ticks, clock.now());
  EXPECT_NEAR(told / passed.count(), 1.0, 0.05);
}

TEST(ClockTest, AReadingBecomesTheTimeOfDay) {
  const Clock& clock = Clock::instance();
  const auto told = std::chrono::nanoseconds(clock.calibration().to_realtime_ns(clock.now()));
  const auto real = std::chrono::system_clock::now().time_since_epoch();
  EXPECT_LT(std::chrono::abs(told - real), std::chrono::milliseconds(500));
}

TEST(ClockTest, AnyoneReadsTheClockThatACalibrationDescribes) {
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

/// The texts of the kernel, in small.
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

// The choice is made once a process: each of these in a process of its own.

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
