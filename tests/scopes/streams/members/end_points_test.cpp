#include <eventspace/topology.h>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>
#include <string>
#include <utility>
#include <vector>

#include <eventspace/error.h>
#include <eventspace/stream_network.h>
#include "scopes/expressions/expression.h"
#include "tests/error_text.h"

namespace eventspace::streams {
namespace {

using ::testing::HasSubstr;

// 0-3 on n1.site, 4-7 on n2.site, each below an internal process there.
EndPoints two_hosts() {
  Topology topology = Topology::of_text("2x4");
  const std::vector<std::string> hosts{"n1.site", "n2.site"};
  topology.place("login", hosts, hosts);
  EndPoints end_points(topology);
  end_points.label(*RankSet::parse("0,4"), "role", "master");
  end_points.label(*RankSet::parse("1-3,5-6"), "role", "worker");
  return end_points;
}

std::string reason_of(const std::function<void()>& action) {
  return eventspace::test::error_text<ConfigurationError>(action, "none");
}

TEST(EndPointsTest, AreChosenByHostAndLabel) {
  const EndPoints end_points = two_hosts();
  EXPECT_EQ(end_points.on_host("n2.site").to_text(), "4-7");
  EXPECT_EQ(end_points.on_host("n[1-9].*").to_text(), "0-7");
  EXPECT_TRUE(end_points.on_host("n3").empty());
  EXPECT_EQ(end_points.labelled("role", "mas*").to_text(), "0,4");
  EXPECT_EQ((end_points.on_host("n1.site") - end_points.labelled("role", "master")).to_text(), "1-3");
}

TEST(EndPointsTest, AreChosenByExpressions) {
  const EndPoints end_points = two_hosts();
  const std::vector<std::pair<std::string, std::string>> cases{
      {"rank < 2", "0-1"},
      {"rank % 3 == 0 and not internal", "0-6:3"},
      {"role == 'worker' and host matches 'n2*'", "5-6"},
      {"role != 'worker'", "0,4"},  // 7 lacks the label: a comparison with it is false
      {"internal and host == 'n2.site'",
       RankSet::of_range(rank_of_internal(2), rank_of_internal(2)).to_text()},
      {"level == 1 or rank == 7",
       "7," + RankSet::of_range(rank_of_internal(1), rank_of_internal(2)).to_text()},
      {"-rank + 2 >= 1 and true", "0-1"},
      {"rank / 0 == 1", ""}};
  for (const auto& [condition, ranks] : cases)
    EXPECT_EQ(end_points.where(condition).to_text(), ranks) << condition;
}

TEST(EndPointsTest, FaultsOfExpressionsHaveTheirPlaceAndWhatIsAllowed) {
  const EndPoints end_points = two_hosts();
  const auto fault = [&](std::string_view text) { return reason_of([&] { (void)end_points.where(text); }); };
  EXPECT_THAT(fault("rank < 'n1'"), HasSubstr("column 8: ''n1'' is text; expected a number"));
  EXPECT_THAT(fault("rank"), HasSubstr("expected true or false"));
  EXPECT_THAT(fault("roll == 'x'"), HasSubstr("did you mean 'role'?"));
  EXPECT_THAT(fault("level < 2ms"), HasSubstr("duration"));
  EXPECT_THAT(fault("host matches rank"), HasSubstr("a pattern in quotes"));
  EXPECT_THAT(fault("rank <"), HasSubstr("column"));
}

TEST(EndPointsTest, SetsHaveNames) {
  EndPoints end_points = two_hosts();
  EXPECT_EQ(end_points.set("all"), end_points.back_ends());
  end_points.name("upper", end_points.where("rank >= 4"));
  EXPECT_EQ((end_points.set("upper") | *RankSet::parse("0")).to_text(), "0,4-7");
  EXPECT_THAT(reason_of([&] { (void)end_points.set("uper"); }), HasSubstr("did you mean 'upper'?"));
  EXPECT_THAT(reason_of([&] { end_points.name("4", {}); }), HasSubstr("begins with a digit"));
}

TEST(EndPointsTest, LabelsAreWordsThatAreNoFields) {
  EndPoints end_points = two_hosts();
  EXPECT_THAT(reason_of([&] { end_points.label({}, "host", "x"); }), HasSubstr("a field"));
  EXPECT_THAT(reason_of([&] { end_points.label({}, "a-b", "x"); }), HasSubstr("no word"));
  EXPECT_THAT(reason_of([&] { end_points.label({}, "and", "x"); }), HasSubstr("no word"));
}

}  // namespace
}  // namespace eventspace::streams
