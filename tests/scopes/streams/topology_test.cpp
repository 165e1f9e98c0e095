#include <eventspace/topology.h>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <eventspace/error.h>
#include "tests/error_text.h"

namespace eventspace::streams {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

struct Shape {
  const char* text;
  std::size_t internals, back_ends, depth, max_children;
};

class GeneratedTopologyTest : public testing::TestWithParam<Shape> {};

TEST_P(GeneratedTopologyTest, HasTheSizesOfItsForm) {
  const Shape& shape = GetParam();
  const Topology tree = Topology::of_text(shape.text);
  EXPECT_EQ(tree.internals(), shape.internals);
  EXPECT_EQ(tree.back_ends(), shape.back_ends);
  EXPECT_EQ(tree.depth(), shape.depth);
  EXPECT_EQ(tree.max_children(), shape.max_children);
}

TEST_P(GeneratedTopologyTest, IsOneTreeWhoseSubtreesAreRangesOfRanks) {
  const Topology tree = Topology::of_text(GetParam().text);
  EXPECT_EQ(tree.ranks_below(0).size(), tree.back_ends());
  for (std::uint32_t i = 0; i < tree.size(); ++i) {
    EXPECT_EQ(tree.at(i).part == Part::back_end, tree.at(i).children.empty());
    EXPECT_EQ(tree.ranks_below(i).ranges().size(), 1u);
    RankSet of_children;
    for (const std::uint32_t child : tree.at(i).children) {
      EXPECT_GT(child, i);
      EXPECT_EQ(tree.at(child).parent, i);
      EXPECT_TRUE((of_children & tree.ranks_below(child)).empty());
      of_children = of_children | tree.ranks_below(child);
    }
    if (tree.at(i).part != Part::back_end) {
      EXPECT_EQ(of_children, tree.ranks_below(i));
    }
  }
  for (RankSet::Rank rank = 0; rank < tree.back_ends(); ++rank)
    EXPECT_EQ(tree.at(tree.of_rank(rank)).rank, rank);
}

TEST_P(GeneratedTopologyTest, WrittenOutAndReadAgainIsTheSame) {
  Topology tree = Topology::of_text(GetParam().text);
  tree.place("login.site", {}, std::vector<std::string>{"n1.site", "n2.site"});
  const Topology again = Topology::of_text(tree.to_text());
  EXPECT_EQ(again.to_text(), tree.to_text());
  EXPECT_EQ(again.back_ends(), tree.back_ends());
}

INSTANTIATE_TEST_SUITE_P(Forms, GeneratedTopologyTest,
                         testing::Values(Shape{"flat:1", 0, 1, 1, 1}, Shape{"flat:64", 0, 64, 1, 64},
                                         Shape{"8^2", 8, 64, 2, 8}, Shape{"4^3", 20, 64, 3, 4},
                                         Shape{"4x8x8", 36, 256, 3, 8}, Shape{"1x4", 1, 4, 2, 4},
                                         Shape{" balanced:2x3\n", 2, 6, 2, 3}, Shape{"kary:8:8", 0, 8, 1, 8},
                                         Shape{"kary:8:9", 1, 9, 2, 8}, Shape{"kary:4:17", 5, 17, 3, 4},
                                         Shape{"2@2", 0, 1, 1, 1}, Shape{"2@8", 3, 4, 3, 3},
                                         Shape{"3@9", 2, 6, 2, 4}, Shape{"generic:2:4,3", 2, 7, 2, 4},
                                         Shape{"generic:3:0,2,0:0,1", 2, 4, 3, 3}));

TEST(TopologyTest, AKnomialTreeHasTheChildrenOfItsDigits) {
  const Topology tree = Topology::k_nomial(2, 8);
  EXPECT_THAT(tree.at(0).children, ElementsAre(4, 2, 1));
  EXPECT_THAT(tree.at(4).children, ElementsAre(6, 5));
  EXPECT_THAT(tree.at(2).children, ElementsAre(3));
  EXPECT_THAT(Topology::k_nomial(1'000'000, 5).at(0).children, ElementsAre(4, 3, 2, 1));
}

TEST(TopologyTest, AKaryTreeSpreadsItsBackEndsEvenly) {
  const Topology tree = Topology::k_ary(4, 10);
  std::vector<std::size_t> below;
  for (const std::uint32_t child : tree.at(0).children) below.push_back(tree.ranks_below(child).size());
  EXPECT_THAT(below, ElementsAre(2, 3, 2, 3));
}

TEST(TopologyTest, PlacesBackEndsEvenlyAndInternalProcessesNearOrApart) {
  Topology tree = Topology::of_text("2x2");
  tree.place("login", {}, std::vector<std::string>{"n1", "n2"});
  EXPECT_EQ(tree.to_text(), "login:0 => n1:0 n2:0 ;\nn1:0 => n1:1 n1:2 ;\nn2:0 => n2:1 n2:2 ;\n");
  tree.place("login", std::vector<std::string>{"hub.site"}, std::vector<std::string>{"n1", "n2"});
  EXPECT_EQ(tree.to_text(),
            "login:0 => hub.site:0 hub.site:1 ;\nhub.site:0 => n1:0 n1:1 ;\n"
            "hub.site:1 => n2:0 n2:1 ;\n");
  EXPECT_THROW(tree.place("login", {}, {}), ConfigurationError);
}

TEST(TopologyTest, AWrittenTreeHasItsHosts) {
  const Topology tree =
      Topology::of_text("# a tree\nlogin.site-a.org:0 => n1:0 n_2:7 ; # two children\n\nn1:0 => n1:1 n1:2;");
  EXPECT_EQ(tree.at(0).name(), "login.site-a.org:0");
  EXPECT_EQ(tree.back_ends(), 3u);
  EXPECT_EQ(tree.at(tree.of_rank(2)).name(), "n_2:7");
}

std::vector<std::string> faults_of(std::string_view text) {
  std::vector<std::string> faults;
  const auto parsed = Topology::parse(text);
  if (const auto* const found = std::get_if<std::vector<TopologyFault>>(&parsed)) {
    for (const TopologyFault& fault : *found) faults.push_back(to_string(fault));
  }
  return faults;
}

TEST(TopologyTest, EachFaultOfAWrittenTreeIsReportedWithItsPlace) {
  EXPECT_THAT(faults_of("a:0 => b:0 b:0 ;"),
              ElementsAre("1:12: error: 'b:0' is a child of 'a:0' already; each HOST:NUMBER is one process"));
  EXPECT_THAT(
      faults_of("a:0 => b:0 ;\nc:0 => d ;\n"),
      ElementsAre("2:8: error: 'd' is not HOST:NUMBER, such as n1.site:0",
                  "2:1: error: both 'c:0' and 'a:0' lack a parent; only the front-end has no parent"));
  EXPECT_THAT(faults_of("a:0 => a:0 ;"), ElementsAre("1:8: error: 'a:0' is a child of itself"));
  EXPECT_THAT(faults_of("a:0 => ;"), ElementsAre("1:1: error: 'a:0' has no children"));
  EXPECT_THAT(faults_of("a:0 => b:0"), ElementsAre("1:1: error: the children of 'a:0' do not end with ';'"));
  EXPECT_THAT(faults_of("a:0 -> b:0 ;"), ElementsAre(HasSubstr("1:5: error: 'a:0' is not followed by '=>'")));
  EXPECT_THAT(faults_of("a:0 => b:0 ; b:0 => a:0 ;"), ElementsAre(HasSubstr("no process is the front-end")));
  EXPECT_THAT(faults_of("r:0 => x:0 ; a:0 => b:0 ; b:0 => a:0 ;"), ElementsAre(HasSubstr("in a circle")));
  EXPECT_THAT(faults_of(""), ElementsAre(HasSubstr("1:1: error: the topology is empty")));
}

TEST(TopologyTest, FormsThatAreNoneAreRefusedWithTheKnownOnes) {
  for (const char* const text : {"tree:4", "flat:", "flat:x", "4^", "4^0", "4^65", "4x", "x4", "2@", "kary:4",
                                 "generic:", "generic:2:,1", "-1"}) {
    EXPECT_THAT(faults_of(text), ElementsAre(HasSubstr("is not a topology; known: flat:N"))) << text;
  }
  for (const char* const text : {"flat:0", "4x0", "kary:1:8", "kary:4:0", "1@8", "2@1", "flat:99999999",
                                 "1024^3", "generic:2:1", "generic:0", "generic:2:1,1,1"}) {
    EXPECT_EQ(faults_of(text).size(), 1u) << text;
  }
}

TEST(TopologyTest, OfTextThrowsAllFaultsWithTheirSource) {
  try {
    (void)Topology::of_text("a:0 => b ;\n:1 => c:0 ;\n", "tree.txt");
    FAIL();
  } catch (const ConfigurationError& error) {
    EXPECT_THAT(error.what(), HasSubstr("tree.txt:1:8: error: 'b'"));
    EXPECT_THAT(error.what(), HasSubstr("\ntree.txt:2:1: error: ':1'"));
  }
}

// --- host lists ---------------------------------------------------------------------------------------

TEST(HostListTest, ReadsTheFormsOfBatchSystems) {
  EXPECT_THAT(
      parse_hosts("n[1-3,07-09].site, a\n# comment\nb b"),
      ElementsAre("n1.site", "n2.site", "n3.site", "n07.site", "n08.site", "n09.site", "a", "b", "b"));
  EXPECT_THAT(parse_hosts("r[1-2]n[1-2]"), ElementsAre("r1n1", "r1n2", "r2n1", "r2n2"));
  EXPECT_TRUE(parse_hosts(" \n#x").empty());
}

TEST(HostListTest, FaultsHaveTheirPlace) {
  const auto fault = [](std::string_view text) {
    return eventspace::test::error_text<ConfigurationError>([&] { (void)parse_hosts(text, "nodes"); });
  };
  EXPECT_EQ(fault("a\n b$"), "nodes:2:3: error: a host name has the character '$'");
  EXPECT_THAT(fault("n[1-"), HasSubstr("a bracket holds numbers"));
  EXPECT_THAT(fault("n[3-1]"), HasSubstr("'3-1' is not a range"));
  EXPECT_THAT(fault("n[1"), HasSubstr("is not closed"));
  EXPECT_THAT(fault("n[0-999999999]"), HasSubstr("not a range"));
}

}  // namespace
}  // namespace eventspace::streams
