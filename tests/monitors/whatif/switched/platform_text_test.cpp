// The platforms for SimGrid.
#include "monitors/whatif/switched/platform_text.h"

#include <gmock/gmock.h>

#include "monitors/whatif/networks/network_file.h"

namespace eventspace::whatif {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;

TEST(PlatformText, ASwitchHasTheNeededNumberOfHosts) {
  const Network network = parse_network("network: switch\nrate: 1Gb/s\nlatency: 10us\n", "n.yaml");
  const std::string text = platform_text(network, 8);
  EXPECT_THAT(text, AllOf(HasSubstr("radical=\"0-7\""), HasSubstr("bw=\"125000000Bps\""),
                          HasSubstr("sharing_policy=\"SPLITDUPLEX\""), Not(HasSubstr("bb_bw"))));
  EXPECT_EQ(platform_hosts(network, 3), (std::vector<std::string>{"n0", "n1", "n2"}));
  EXPECT_THAT(
      platform_text(
          parse_network("network: switch\nrate: 1Gb/s\nlatency: 10us\nbackplane: 8Gb/s\n", "n.yaml"), 8),
      HasSubstr("bb_bw=\"1000000000Bps\""));
}

TEST(PlatformText, ATreeHasARouteBetweenAnyTwoSwitches) {
  const Network network = parse_network(
      "network: tree\nrate: 1Gb/s\nlatency: 1us\nhosts: 4\nswitches: 3\nuplink_rate: 10Gb/s\nuplink_latency: "
      "2us\n",
      "n.yaml");
  const std::string text = platform_text(network, 1);
  EXPECT_THAT(text, AllOf(HasSubstr("radical=\"8-11\""), HasSubstr("router_id=\"router2\""),
                          HasSubstr("<link id=\"uplink2\" bandwidth=\"1250000000Bps\"")));
  std::size_t routes = 0;
  for (std::size_t at = 0; (at = text.find("<zoneRoute", at)) != std::string::npos; ++at) ++routes;
  EXPECT_EQ(routes, 6u);
}

TEST(PlatformText, AFatTreeHasItsLevels) {
  const Network network = parse_network(
      "network: fat-tree\nrate: 1Gb/s\nlatency: 1us\ndown: [4, 2]\nup: [1, 2]\ncables: [1, 3]\n", "n.yaml");
  EXPECT_THAT(platform_text(network, 1),
              AllOf(HasSubstr("radical=\"0-7\""), HasSubstr("topo_parameters=\"2;4,2;1,2;1,3\"")));
}

TEST(PlatformText, TheModelIsAnOption) {
  EXPECT_THAT(simgrid_options({.model = "LV08", .tcp_window = 4194304, .crosstraffic = true}),
              ElementsAre("network/model:LV08", "network/TCP-gamma:4194304", "network/crosstraffic:1"));
}

}  // namespace
}  // namespace eventspace::whatif
