#include "scopes/tree/rank_list.h"

#include <gtest/gtest.h>

#include <numeric>

namespace eventspace {
namespace {

using Ranks = std::vector<std::uint32_t>;
constexpr std::size_t longest = 4000;

TEST(RankList, TheTextKeepsTheOrder) {
  for (const auto& [text, ranks] : {std::pair<std::string, Ranks>{"", {}},
                                    {"3", {3}},
                                    {"0-3,8", {0, 1, 2, 3, 8}},
                                    {"8,0-1", {8, 0, 1}},
                                    {"3,2,1", {3, 2, 1}},
                                    {"0-8:4", {0, 4, 8}},
                                    {"0,5", {0, 5}},
                                    {"2,2", {2, 2}}}) {
    EXPECT_EQ(to_rank_list(ranks, longest), text);
    EXPECT_EQ(parse_rank_list(text), ranks) << text;
  }
}

TEST(RankList, ManyEvenRanksAreShort) {
  Ranks all(4096);
  std::iota(all.begin(), all.end(), 0);
  EXPECT_EQ(to_rank_list(all, longest), "0-4095");
}

TEST(RankList, ATextThatWouldBeTooLongEndsWithDots) {
  Ranks uneven;
  for (std::uint32_t i = 0; i < 1000; ++i) uneven.push_back(i * i);
  const std::string text = to_rank_list(uneven, 20);
  EXPECT_LE(text.size(), 20u);
  EXPECT_TRUE(text.ends_with(",...")) << text;
  EXPECT_EQ(parse_rank_list(text), std::nullopt);
}

TEST(RankList, WhatIsNoListIsRefused) {
  for (const char* const text :
       {",", "1,", "x", "1-", "3-1", "1-5:0", "1-5:", "1 2", "-1", "2147483648", "4294967296"})
    EXPECT_EQ(parse_rank_list(text), std::nullopt) << text;
  EXPECT_EQ(parse_rank_list("0-4294967295"), std::nullopt);
  EXPECT_EQ(parse_rank_list("0-9", 9), std::nullopt);
  EXPECT_EQ(parse_rank_list("2147483647-2147483647"), Ranks{2147483647});
}

/// Names that came with views.
class SomeNames final : public PlanNames {
 public:
  std::string name, members;
  [[nodiscard]] std::string_view thread_name(std::uint32_t) const override { return "?"; }
  [[nodiscard]] std::string_view path_name(std::uint32_t) const override { return "?"; }
  [[nodiscard]] std::string_view process_name(std::uint32_t) const override { return "?"; }
  [[nodiscard]] std::string_view node_of_process(std::uint32_t) const override { return "?"; }
  [[nodiscard]] std::string_view communicator_name(std::uint32_t) const override { return name; }
  [[nodiscard]] std::string_view communicator_members(std::uint32_t) const override { return members; }
  [[nodiscard]] std::optional<SourceRef> source_of(std::uint32_t, std::uint16_t) const override { return {}; }
};

TEST(CommunicatorFacts, SayNameSizeAndMembers) {
  SomeNames names;
  names.name = "rows (2)";
  names.members = "4,0";
  auto facts = mpi_communicator_facts(names, 7);
  EXPECT_EQ(facts.name, "rows (2)");
  EXPECT_EQ(facts.size, 2u);
  EXPECT_EQ(facts.members, (Ranks{4, 0}));
  EXPECT_TRUE(facts.other_group.empty());
  names.members = "0-1|2-3";
  EXPECT_EQ(mpi_communicator_facts(names, 7).other_group, (Ranks{2, 3}));
  names.name = "?";
  names.members = "0,...";
  facts = mpi_communicator_facts(names, 7);
  EXPECT_EQ(facts.size, std::nullopt);
  EXPECT_TRUE(facts.members.empty());
}

}  // namespace
}  // namespace eventspace
