#include <eventspace/streams.h>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>

#include <eventspace/error.h>
#include "scopes/streams/attaching/network_keys.h"
#include "tests/error_text.h"

namespace eventspace::streams {
namespace {

using ::testing::HasSubstr;

constexpr std::string_view two_parents =
    "tools ipc:///run/a.socket 0-3\n"
    "tools tcp://n2.site:4000 4,6 /run/user/7/my keys\n";

std::string point_fault(std::string_view text, std::optional<RankSet::Rank> rank = {}) {
  return eventspace::test::error_text<ConfigurationError>(
      [&] { (void)AttachPoint::of_text(text, rank, "points"); }, "none");
}

TEST(AttachPointTest, ARankIsFoundInTheLineThatHasItsPlace) {
  const AttachPoint first = AttachPoint::of_text(two_parents, 2);
  EXPECT_EQ(first.network, "tools");
  EXPECT_EQ(first.endpoint, "ipc:///run/a.socket");
  EXPECT_EQ(first.rank, 2u);
  EXPECT_TRUE(first.keys.empty());
  const AttachPoint second = AttachPoint::of_text(two_parents, 6);
  EXPECT_EQ(second.endpoint, "tcp://n2.site:4000");
  EXPECT_EQ(second.keys, "/run/user/7/my keys");
}

TEST(AttachPointTest, WithoutARankItIsTheOnlyOneOrTheParentsChoice) {
  EXPECT_EQ(AttachPoint::of_text("a ipc://x 7").rank, 7u);
  EXPECT_FALSE(AttachPoint::of_text(two_parents).rank);
  EXPECT_FALSE(AttachPoint::of_text("a ipc://x any").rank);
  EXPECT_EQ(AttachPoint::of_text("a ipc://x any", 9).rank, 9u);
}

TEST(AttachPointTest, WhatIsWrittenIsReadAgain) {
  const AttachPoint point{"tools", "tcp://n1:40", 12, "/k e"};
  const AttachPoint read = AttachPoint::of_text(point.to_text());
  EXPECT_EQ(read.network, point.network);
  EXPECT_EQ(read.endpoint, point.endpoint);
  EXPECT_EQ(read.rank, point.rank);
  EXPECT_EQ(read.keys, point.keys);
}

TEST(AttachPointTest, FaultsNameTheLineAndTheForm) {
  EXPECT_THAT(point_fault("a http://x 1"), HasSubstr("points, line 1: 'http://x' is not an endpoint"));
  EXPECT_THAT(point_fault("a ipc://x 1\na ipc://x 1-"), HasSubstr("line 2: '1-' is not a set of ranks"));
  EXPECT_THAT(point_fault("a ipc://x"), HasSubstr("a line is NETWORK ENDPOINT RANKS"));
  EXPECT_THAT(point_fault(""), HasSubstr("it is empty"));
  EXPECT_THAT(point_fault(two_parents, 5),
              HasSubstr("rank 5 has no place in the network tools; ranks with a place: 0-4,6"));
}

TEST(AttachPointTest, IsReadFromTheEnvironment) {
  ASSERT_EQ(::setenv(AttachPoint::variable, "tools ipc://x 3", 1), 0);
  EXPECT_EQ(AttachPoint::from_environment().rank, 3u);
  ASSERT_EQ(::unsetenv(AttachPoint::variable), 0);
  EXPECT_THROW((void)AttachPoint::from_environment(), ConfigurationError);
}

TEST(NetworkNameTest, IsAFileNameWithoutSurprises) {
  for (const char* name : {"tools", "my-tool_1.x"}) EXPECT_TRUE(is_network_name(name)) << name;
  for (const char* name : {"", ".hidden", "a/b", "a b", "../x"}) EXPECT_FALSE(is_network_name(name)) << name;
  EXPECT_FALSE(is_network_name(std::string(64, 'a')));
}

}  // namespace
}  // namespace eventspace::streams
