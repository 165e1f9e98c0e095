#include <eventspace/session_network.h>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>

#include <eventspace/error.h>
#include "pathmaps/pathmap.h"
#include "tests/error_text.h"
#include "tests/pathmaps/sessions/gateway_pathmap.h"
#include "tests/tuplespace/temporary_directory.h"

namespace eventspace {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

Plan plan_of(const std::string& text) {
  auto result = parse_plan(text, "network.yaml");
  for (const auto& fault : result.faults) ADD_FAILURE() << to_string(fault);
  return result.plan.value_or(Plan{});
}

std::string two_nodes(const std::string& first, const std::string& second) {
  return "pathmap: 1\nname: two\ncluster:\n  nodes:\n    n1: " + first + "\n    n2: " + second +
         "\napplication:\n  threads: [a, b, c]\n"
         "placement:\n  processes:\n    p0: {node: n1, threads: a}\n    p1: {node: n2, threads: b}\n"
         "    p2: {node: n2, threads: c}\n";
}

TEST(NetworkOfPlanTest, EachNodeHasAnInternalProcessAndEachProcessABackEnd) {
  const PathmapNetwork made =
      network_of(plan_of(two_nodes("{host: n1.site, port: 4000}",
                                   "{host: n2.site, port: 4000, launch: [srun, -w, n2]}")),
                 BackEnds::processes);
  EXPECT_EQ(made.topology.to_text(),
            "localhost:0 => n1.site:0 n2.site:0 ;\n"
            "n1.site:0 => n1.site:1 ;\n"
            "n2.site:0 => n2.site:1 n2.site:2 ;\n");
  EXPECT_THAT(made.options.launchers.at("n1.site"), ElementsAre("ssh", "-o", "BatchMode=yes", "n1.site"));
  EXPECT_THAT(made.options.launchers.at("n2.site"), ElementsAre("srun", "-w", "n2"));
  EXPECT_THAT(made.processes, ElementsAre("p0", "p1", "p2"));
}

TEST(NetworkOfPlanTest, APathmapIsReadFromItsFile) {
  const test::TemporaryDirectory directory;
  const std::string text = two_nodes("{host: n1.site, port: 4000}", "{host: n2.site, port: 4000}");
  std::ofstream(directory.path() / "right.yaml") << text;
  std::ofstream(directory.path() / "wrong.yaml") << text << "color: red\n";

  EXPECT_EQ(network_of(directory.path() / "right.yaml", BackEnds::nodes).topology.to_text(),
            network_of(plan_of(text), BackEnds::nodes).topology.to_text());
  try {
    (void)network_of(directory.path() / "wrong.yaml", BackEnds::nodes);
    ADD_FAILURE() << "not refused";
  } catch (const ConfigurationError& error) {
    EXPECT_THAT(error.what(), HasSubstr("wrong.yaml:14:1: error: unknown key 'color'"));
  }
}

TEST(NetworkOfPlanTest, NodesBehindAGatewayAreBelowIt) {
  const Plan plan = plan_of(test::pathmap_behind_gateway("behind", ""));
  EXPECT_EQ(network_of(plan, BackEnds::nodes).topology.to_text(),
            "localhost:0 => 127.0.0.1:0 ;\n"
            "127.0.0.1:0 => 127.0.0.1:3 127.0.0.1:1 127.0.0.1:2 ;\n"
            "127.0.0.1:1 => 127.0.0.1:4 ;\n"
            "127.0.0.1:2 => 127.0.0.1:5 ;\n");
  EXPECT_EQ(network_of(plan, BackEnds::processes).topology.back_ends(), 2u);
}

TEST(NetworkOfPlanTest, TwoCommandsForOneHostAreRefused) {
  const Plan plan = plan_of(
      two_nodes("{host: n1.site, port: 4000, launch: [a]}", "{host: n1.site, port: 4001, launch: [b]}"));
  EXPECT_THAT(test::error_text<ConfigurationError>([&] { (void)network_of(plan, BackEnds::nodes); }),
              HasSubstr("host n1.site has two different start commands"));
}

}  // namespace
}  // namespace eventspace
