#include "tests/docs/transcript.h"

#include <gtest/gtest.h>

// The rules by which outputs are compared with the outputs shown on pages.

namespace eventspace::docs {
namespace {

using Lines = std::vector<std::string>;

TEST(Transcript, HasTheOutputOfEachCommandBelowIt) {
  const auto blocks = blocks_in("text\n```console\n$ first\na\nb\n$ second &\n```\n");
  ASSERT_EQ(blocks.size(), 1u);
  const auto commands = commands_of(blocks.at(0));
  ASSERT_EQ(commands.size(), 2u);
  EXPECT_EQ(commands.at(0).words, "first");
  EXPECT_EQ(commands.at(0).output, (Lines{"a", "b"}));
  EXPECT_EQ(commands.at(1).words, "second &");
  EXPECT_EQ(commands.at(1).line, 6);
}

TEST(Transcript, TimesPidsAndSpacesMayDiffer) {
  EXPECT_TRUE(
      is_shown_by({"n1: started (pid 12, local://node/n1)"}, {"n1: started (pid 4711, local://node/n1)"}));
  EXPECT_TRUE(is_shown_by({"   1.3s  2 threads: 2 running"}, {" 62.5ms  2 threads:  2 running"}));
  EXPECT_TRUE(is_shown_by({"2026-11-24T14:23:50.421394026Z  a"}, {"2026-12-01T00:00:00.5Z a"}));
  EXPECT_TRUE(is_shown_by({"solver:4711/main", "solver:4711 ok"}, {"solver:12/main", "solver:12 ok"}));
  EXPECT_TRUE(is_shown_by({"(1.4 a second)"}, {"(22.75 a second)"}));
}

TEST(Transcript, OtherNumbersAndWordsMayNot) {
  EXPECT_FALSE(is_shown_by({"2 threads"}, {"3 threads"}));
  EXPECT_FALSE(is_shown_by({"50 of 50"}, {"49 of 50"}));
  EXPECT_FALSE(is_shown_by({"running"}, {"stuck"}));
}

TEST(Transcript, ThreeDotsStandForTextAndForLines) {
  EXPECT_TRUE(is_shown_by({"STALL at ...; 1 threads wait"}, {"STALL at packer: stuck; 1 threads wait"}));
  EXPECT_FALSE(is_shown_by({"STALL at ...; 1 threads wait"}, {"STALL at packer: stuck; 2 threads wait"}));
  EXPECT_TRUE(is_shown_by({"a", "...", "b"}, {"a", "b"}));
  EXPECT_TRUE(is_shown_by({"a", "...", "b"}, {"a", "x", "y", "b"}));
  EXPECT_FALSE(is_shown_by({"a", "...", "b"}, {"a", "x", "y"}));
}

TEST(Transcript, LinesThatAreMissingOrTooManyAreNoticed) {
  EXPECT_FALSE(is_shown_by({"a"}, {}));
  EXPECT_FALSE(is_shown_by({}, {"a"}));
  EXPECT_FALSE(is_shown_by({"a", "b"}, {"a"}));
}

}  // namespace
}  // namespace eventspace::docs
