#include "apps/windtunnel/program/options.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <vector>

#include <eventspace/error.h>
#include "tests/error_text.h"

namespace eventspace::windtunnel {
namespace {

using ::testing::HasSubstr;

Options parse(std::vector<const char*> words) {
  words.insert(words.begin(), {"windtunnel", "--pathmap", "map.yaml"});
  return parse_options(static_cast<int>(words.size()), words.data()).value();
}

std::string refusal(const std::vector<const char*>& words) {
  return test::error_text<std::exception>([&] { parse(words); }, "accepted");
}

TEST(Options, HaveDefaults) {
  const auto options = parse({});
  EXPECT_EQ(options.pathmap, "map.yaml");
  EXPECT_EQ(options.settings, Settings{});
  EXPECT_TRUE(options.collect);
  EXPECT_FALSE(options.stall);
}

TEST(Options, AreRead) {
  const auto options = parse({"--process", "p1", "--n", "128", "--steps", "7", "--seed", "3", "--obstacle",
                              "plate", "--no-collect", "--stall", "t2@5:wait", "--summary", "s.json"});
  EXPECT_EQ(options.process, "p1");
  EXPECT_EQ(to_string(options.settings), "--n 128 --steps 7 --seed 3 --obstacle plate");
  EXPECT_FALSE(options.collect);
  EXPECT_EQ(options.stall, (StallOrder{"t2", 5, StallKind::wait}));
  EXPECT_EQ(options.summary, "s.json");
}

TEST(Options, KnowTheSizesOfThePaper) {
  EXPECT_EQ(parse({"--size", "large"}).settings.tunnel.n, 7680U);
  EXPECT_EQ(parse({"--size", "medium"}).settings.tunnel.n, 3840U);
  EXPECT_EQ(parse({"--size", "small"}).settings.tunnel.n, 960U);
}

TEST(Options, DrawTheLastStepOnlyUnlessAskedForMore) {
  EXPECT_EQ(parse({"--steps", "50", "--frames", "d"}).settings.frame_every, 50U);
  EXPECT_EQ(parse({"--steps", "50", "--frames", "d", "--every", "20"}).settings.frame_every, 20U);
}

TEST(Options, SayWhatIsWrong) {
  EXPECT_THAT(refusal({"--size", "huge"}), HasSubstr("huge not in {large,medium,small}"));
  EXPECT_THAT(refusal({"--n", "100"}), HasSubstr("n must be a multiple of 32"));
  EXPECT_THAT(refusal({"--size", "small", "--n", "64"}), HasSubstr("excludes"));
  EXPECT_THAT(refusal({"--steps", "0"}), HasSubstr("--steps"));
  EXPECT_THAT(refusal({"--obstacle", "tree"}), HasSubstr("known: plate, cylinder, none"));
  EXPECT_THAT(refusal({"--every", "5"}), HasSubstr("--frames"));
  EXPECT_THAT(refusal({"--wind"}), HasSubstr("--wind"));
}

class BadStall : public ::testing::TestWithParam<const char*> {};

INSTANTIATE_TEST_SUITE_P(Options, BadStall,
                         ::testing::Values("", "t1", "@5", "t1@", "t1@x", "t1@-1", "t1@5:", "t1@5:jump",
                                           "t1@5:wait ", "t1@99999999999999999999"));

TEST_P(BadStall, IsRefused) { EXPECT_THROW(parse_stall(GetParam()), ConfigurationError); }

TEST(Stall, SpinsWhenNothingIsSaid) {
  EXPECT_EQ(parse_stall("t17@100"), (StallOrder{"t17", 100, StallKind::spin}));
}

}  // namespace
}  // namespace eventspace::windtunnel
