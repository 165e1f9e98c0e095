#include "apps/windtunnel/gas/config.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <stdexcept>
#include <string>

#include "apps/windtunnel/gas/channel.h"
#include "tests/error_text.h"

namespace eventspace::windtunnel {
namespace {

using ::testing::HasSubstr;

std::string refusal(const std::function<void()>& action) {
  return test::error_text<std::invalid_argument>(action, "nothing was refused");
}

std::string refusal_of(const TunnelConfig& config) {
  return refusal([&] { validate(config); });
}

TEST(TunnelConfig, DefaultsAndThePapersSizesAreValid) {
  for (const auto n : {kSmall, kMedium, kLarge, kMinN}) EXPECT_NO_THROW(validate({.n = n}));
}

TEST(TunnelConfig, RefusesWhatIsOutOfRangeAndSaysWhatIsAllowed) {
  EXPECT_THAT(refusal_of({.n = 0}), HasSubstr("n is 0; n must be a multiple of 32 from 32 to 65536"));
  EXPECT_THAT(refusal_of({.n = 100}), HasSubstr("n is 100"));
  EXPECT_THAT(refusal_of({.n = 2 * kMaxN}), HasSubstr("to 65536"));
  EXPECT_THAT(refusal_of({.density = 0}), HasSubstr("density is 0.000000"));
  EXPECT_THAT(refusal_of({.density = 1}), HasSubstr("above 0 and below 1"));
  EXPECT_THAT(refusal_of({.density = NAN}), HasSubstr("density is nan"));
  EXPECT_THAT(refusal_of({.speed = -0.1}), HasSubstr("speed is -0.100000; allowed are 0 to 0.49"));
  EXPECT_THAT(refusal_of({.speed = 0.5}), HasSubstr("allowed are 0 to 0.49"));
  EXPECT_THAT(refusal_of({.speed = NAN}), HasSubstr("speed is nan"));
  EXPECT_THAT(refusal_of({.density = 0.9, .speed = 0.3}), HasSubstr("is too high for density 0.900000"));
}

TEST(TunnelConfig, InflowHasTheDensityAndTheSpeedAskedFor) {
  const TunnelConfig config{.density = 0.2, .speed = 0.25};
  const auto inflow = inflow_occupation(config);
  const double mass = 2 * inflow.east + 3 * inflow.neutral + 2 * inflow.west;
  EXPECT_NEAR(mass, 7 * config.density, 1e-12);
  EXPECT_NEAR(2 * kUnitX * (inflow.east - inflow.west) / mass, config.speed, 1e-12);
}

TEST(ParseSize, KnowsThePapersSizesAndNumbers) {
  EXPECT_EQ(parse_size("small"), 960U);
  EXPECT_EQ(parse_size("medium"), 3840U);
  EXPECT_EQ(parse_size("large"), 7680U);
  EXPECT_EQ(parse_size("512"), 512U);
}

TEST(ParseSize, RefusesAnythingElse) {
  for (const auto* const text : {"", "huge", "512x", "-512", "9999999999999999999999"})
    EXPECT_THAT(refusal([&] { parse_size(text); }),
                HasSubstr(std::string("unknown size '") + text + "'; known: small, medium, large"));
  EXPECT_THAT(refusal([] { parse_size("500"); }), HasSubstr("n is 500"));
}

TEST(ParseObstacle, KnowsEachByName) {
  EXPECT_EQ(parse_obstacle("none"), Obstacle::none);
  EXPECT_EQ(parse_obstacle("plate"), Obstacle::plate);
  EXPECT_EQ(parse_obstacle("cylinder"), Obstacle::cylinder);
  EXPECT_THAT(refusal([] { parse_obstacle("wing"); }),
              HasSubstr("unknown obstacle 'wing'; known: plate, cylinder, none"));
}

}  // namespace
}  // namespace eventspace::windtunnel
