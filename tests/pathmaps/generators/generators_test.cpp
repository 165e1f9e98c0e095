#include "pathmaps/generators/generators.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <eventspace/error.h>
#include "tests/pathmaps/pathmap_text.h"

namespace eventspace {
namespace {

using ::testing::SizeIs;

Plan generated(const std::string& threads, const std::string& generator) {
  return PathmapText()
      .application("  threads: " + threads + "\n  generate:\n    - " + generator + "\n")
      .plan();
}

std::string exchange(const std::string& wrap) {
  return "neighbour-exchange: {threads: \"t*\", wrap: " + wrap +
         ", north: [n, ne, nw], south: [s, se, sw], tuple: [int, bytes], threshold: 2}";
}

std::string peer_of(const Plan& plan, std::string_view thread, std::string_view name) {
  const auto peer = path_of(plan, thread, name).peer;
  return peer ? plan.threads.at(*peer).name : "none";
}

std::size_t count_paths(const Plan& plan, std::string_view thread) {
  return static_cast<std::size_t>(std::ranges::count_if(
      plan.paths, [&](const PathPlan& path) { return plan.threads[path.thread].name == thread; }));
}

TEST(NeighbourExchange, InARingEachThreadUsesTwelveElements) {
  const auto plan = generated("\"t[0-4]\"", exchange("true"));
  EXPECT_THAT(plan.elements, SizeIs(5 * 6));
  EXPECT_THAT(plan.paths, SizeIs(5 * 12));
  for (const auto* thread : {"t0", "t2", "t4"}) EXPECT_EQ(count_paths(plan, thread), 12U);
}

TEST(NeighbourExchange, ATupleSentNorthIsReceivedFromTheSouthByTheNorthernNeighbour) {
  const auto plan = generated("\"t[0-4]\"", exchange("false"));
  EXPECT_EQ(element_of(plan, "t2", "send/north/ne"), "border/t2/north/ne");
  EXPECT_EQ(element_of(plan, "t1", "receive/south/ne"), "border/t2/north/ne");
  EXPECT_EQ(element_of(plan, "t2", "send/south/sw"), "border/t2/south/sw");
  EXPECT_EQ(element_of(plan, "t3", "receive/north/sw"), "border/t2/south/sw");
}

TEST(NeighbourExchange, PathsKnowTheirUseAndPeer) {
  const auto plan = generated("\"t[0-4]\"", exchange("true"));
  EXPECT_EQ(path_of(plan, "t0", "send/north/n").use, PathUse::write);
  EXPECT_EQ(path_of(plan, "t0", "receive/north/s").use, PathUse::read);
  EXPECT_EQ(peer_of(plan, "t0", "send/north/n"), "t4");
  EXPECT_EQ(peer_of(plan, "t0", "receive/north/s"), "t4");
  EXPECT_EQ(peer_of(plan, "t0", "send/south/s"), "t1");
}

TEST(NeighbourExchange, ElementsHaveTheGivenType) {
  const auto plan = generated("\"t[0-4]\"", exchange("true"));
  const auto& config = std::get<TupleElement>(plan.elements.front().kind).config;
  EXPECT_EQ(config.signature, Signature({FieldType::integer, FieldType::bytes}));
  EXPECT_EQ(config.threshold, 2U);
  EXPECT_EQ(config.when_full, WhenFull::wait);
}

TEST(NeighbourExchange, InARowTheEndsHaveOneSide) {
  const auto plan = generated("\"t[0-4]\"", exchange("false"));
  EXPECT_EQ(count_paths(plan, "t0"), 6U);
  EXPECT_EQ(count_paths(plan, "t2"), 12U);
  EXPECT_EQ(count_paths(plan, "t4"), 6U);
  EXPECT_THAT(plan.elements, SizeIs(8 * 3));
}

TEST(NeighbourExchange, OneThreadInARingSendsToItself) {
  const auto plan = generated("t0", exchange("true"));
  EXPECT_EQ(element_of(plan, "t0", "receive/south/n"), "border/t0/north/n");
  EXPECT_EQ(element_of(plan, "t0", "receive/north/s"), "border/t0/south/s");
  EXPECT_EQ(peer_of(plan, "t0", "send/north/n"), "none");
}

TEST(NeighbourExchange, TwoThreadsInARingAreNeighboursOnBothSides) {
  const auto plan = generated("\"t[0-1]\"", exchange("true"));
  EXPECT_EQ(element_of(plan, "t1", "receive/south/n"), "border/t0/north/n");
  EXPECT_EQ(element_of(plan, "t1", "receive/north/s"), "border/t0/south/s");
  EXPECT_EQ(peer_of(plan, "t0", "send/north/n"), "t1");
  EXPECT_EQ(peer_of(plan, "t0", "send/south/s"), "t1");
}

TEST(NeighbourExchange, OneThreadInARowHasNoPaths) {
  const auto text = "  threads: t0\n  generate: [" + exchange("false") + "]\n";
  EXPECT_THAT(PathmapText().application(text).scopes("").plan().paths, SizeIs(0));
}

TEST(ReduceTree, EveryThreadButTheFirstSendsToItsParent) {
  const auto plan =
      generated("\"t[0-6]\"", "reduce-tree: {threads: \"t*\", arity: 2, name: sum, tuple: [float]}");
  EXPECT_THAT(plan.elements, SizeIs(6));
  EXPECT_THAT(plan.paths, SizeIs(12));
  EXPECT_EQ(element_of(plan, "t5", "sum/parent/up"), "sum/t5/up");
  EXPECT_EQ(element_of(plan, "t2", "sum/child/0/up"), "sum/t5/up");
  EXPECT_EQ(element_of(plan, "t2", "sum/child/1/up"), "sum/t6/up");
  EXPECT_EQ(peer_of(plan, "t2", "sum/child/1/up"), "t6");
}

TEST(ReduceTree, ArityOneIsAChainAndALargeOneIsFlat) {
  const auto chain = generated("\"t[0-3]\"", "reduce-tree: {threads: \"t*\", arity: 1, tuple: [int]}");
  EXPECT_EQ(peer_of(chain, "t2", "reduce/parent/up"), "t1");
  const auto flat = generated("\"t[0-3]\"", "reduce-tree: {threads: \"t*\", arity: 9, tuple: [int]}");
  EXPECT_EQ(peer_of(flat, "t3", "reduce/parent/up"), "t0");
  EXPECT_EQ(count_paths(flat, "t0"), 3U);
}

TEST(Barrier, GoesUpAndComesDown) {
  const auto plan = generated("\"t[0-2]\"", "barrier: {threads: \"t*\"}");
  EXPECT_THAT(plan.elements, SizeIs(4));
  EXPECT_EQ(element_of(plan, "t0", "barrier/child/1/down"), "barrier/t2/down");
  EXPECT_EQ(element_of(plan, "t2", "barrier/parent/down"), "barrier/t2/down");
  EXPECT_EQ(path_of(plan, "t2", "barrier/parent/down").use, PathUse::read);
  EXPECT_EQ(path_of(plan, "t2", "barrier/parent/up").use, PathUse::write);
}

/// A star: all threads write to the first thread. docs/pathmap.md shows it as an example of a user's
/// generator.
GeneratorInfo star() {
  return {.name = "star",
          .help = "everybody writes to the first",
          .tuple = {"int"},
          .parameters = {},
          .make = [](const GeneratorInput& input, Generated& out) {
            if (input.threads.size() < 2) throw ConfigurationError("needs two threads");
            out.element("hub");
            out.path({0, "hub", PathUse::read, "hub"});
            for (std::size_t i = 1; i < input.threads.size(); ++i)
              out.path({i, "hub", PathUse::write, "hub"});
          }};
}

class OwnGenerator : public testing::Test {
 protected:
  static void SetUpTestSuite() { GeneratorRegistry::instance().add(star()); }
};

TEST_F(OwnGenerator, IsUsedByItsName) {
  const auto plan = generated("\"t[0-3]\"", "star: {threads: \"t*\"}");
  EXPECT_THAT(plan.paths, SizeIs(4));
  EXPECT_EQ(peer_of(plan, "t1", "hub"), "none") << "more than one other thread uses it";
}

TEST_F(OwnGenerator, ItsRefusalIsAFaultAtItsName) {
  const auto faults =
      PathmapText().application("  threads: t0\n  generate:\n    - star: {threads: t0}\n").faults();
  ASSERT_THAT(faults, SizeIs(1));
  EXPECT_EQ(faults[0].column, 7);
  EXPECT_EQ(faults[0].text, "'star': needs two threads");
}

TEST_F(OwnGenerator, ATakenNameThrows) {
  EXPECT_THROW(GeneratorRegistry::instance().add(star()), ConfigurationError);
}

TEST(Generators, AllHaveHelp) {
  for (const auto& name : GeneratorRegistry::instance().names()) {
    const auto* info = GeneratorRegistry::instance().find(name);
    EXPECT_FALSE(info->help.empty());
    for (const auto& spec : info->all_parameters())
      EXPECT_FALSE(spec.help.empty()) << name << ' ' << spec.name;
  }
}

}  // namespace
}  // namespace eventspace
