#include "monitors/init/first_pathmap.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <eventspace/error.h>
#include "pathmaps/pathmap.h"
#include "tests/error_text.h"

namespace eventspace {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

Plan plan_of(const FirstPathmap& first) {
  auto loaded = parse_plan(text_of(first), "first.yaml");
  for (const Fault& fault : loaded.faults) ADD_FAILURE() << to_string(fault) << "\n" << text_of(first);
  return loaded.plan.value_or(Plan{});
}

TEST(FirstPathmapTest, IsValidForAnyNumberOfProcessesAndThreads) {
  for (const std::size_t processes : {1, 2, 7, 40}) {
    for (const std::size_t threads : {1, 2, 16}) {
      const Plan plan =
          plan_of({.name = "app", .file = "app.yaml", .processes = processes, .threads = threads});
      EXPECT_EQ(plan.processes.size(), processes);
      EXPECT_EQ(plan.thread_count(), processes * threads);
      EXPECT_EQ(plan.collectives.size(), processes * threads > 1 ? 1u : 0u);
      EXPECT_EQ(plan.scopes.size(), 2u);
    }
  }
}

TEST(FirstPathmapTest, OnThisMachineNeedsNoPorts) {
  const Plan plan = plan_of({.name = "app", .file = "app.yaml", .processes = 3, .threads = 2});
  EXPECT_EQ(plan.nodes.size(), 1u);
  EXPECT_EQ(plan.nodes.front().endpoint(), "local://node/here");
}

TEST(FirstPathmapTest, HasANodeForEachHostAndItsProcessesThere) {
  const Plan plan = plan_of(
      {.name = "app", .file = "app.yaml", .hosts = {{"c1", 2}, {"10.0.0.7", 1}}, .threads = 4, .port = 7500});
  ASSERT_EQ(plan.nodes.size(), 2u);
  EXPECT_EQ(plan.nodes.front().endpoint(), "tcp://c1:7500");
  EXPECT_EQ(plan.nodes.back().endpoint(), "tcp://10.0.0.7:7500");
  ASSERT_EQ(plan.processes.size(), 3u);
  EXPECT_EQ(plan.processes.front().port, 7501);
  EXPECT_EQ(plan.nodes.at(plan.processes.back().node).name, "n2");
}

TEST(FirstPathmapTest, KeepsTheWordsOfACommandWhateverTheyContain) {
  const Plan plan =
      plan_of({.name = "app", .file = "app.yaml", .command = {"./my program", "\"#: {}'\\", "-1"}});
  EXPECT_THAT(plan.command, ElementsAre("./my program", "\"#: {}'\\", "-1"));
}

TEST(FirstPathmapTest, ProcessesAreSpreadEvenly) {
  std::vector<HostEntry> hosts{{"a"}, {"b"}, {"c"}};
  spread(8, hosts);
  EXPECT_THAT(hosts, ElementsAre(HostEntry{"a", 2}, HostEntry{"b", 3}, HostEntry{"c", 3}));
}

TEST(HostFile, HasAHostOnEachLine) {
  EXPECT_THAT(parse_host_file("# a cluster\na\n\n  b slots=4  # four\na slots=2\n", "hosts"),
              ElementsAre(HostEntry{"a", 3}, HostEntry{"b", 4}));
}

/// The message for a host file with this text.
std::string fault_of(const std::string& text) {
  return test::error_text<ConfigurationError>([&] { static_cast<void>(parse_host_file(text, "hosts")); });
}

TEST(HostFile, AFaultSaysWhereItIsAndWhatWasExpected) {
  EXPECT_EQ(fault_of("a\nb cpus=3\n"),
            "hosts:2: found 'cpus=3'; expected slots=N, with N from 1 to 10000, or nothing");
  EXPECT_THAT(fault_of("a slots=0\n"), HasSubstr("hosts:1: found 'slots=0'"));
  EXPECT_THAT(fault_of("a slots=99999999999999999999\n"), HasSubstr("hosts:1: found"));
  EXPECT_THAT(fault_of("a slots=2 b\n"), HasSubstr("hosts:1: found 'b' after the slots"));
  EXPECT_THAT(fault_of("# nothing\n"), HasSubstr("hosts: found no hosts"));
  EXPECT_THAT(fault_of("a slots=9999\nb slots=9999\n"), HasSubstr("hosts:2: too many"));
}

}  // namespace
}  // namespace eventspace
