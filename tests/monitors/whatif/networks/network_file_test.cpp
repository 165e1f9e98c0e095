// Networks in YAML: reading, writing, and all faults of a file at once.
#include "monitors/whatif/networks/network_file.h"

#include <gmock/gmock.h>

#include <sstream>

#include "monitors/whatif/actions/faulty_input.h"
#include "tests/error_text.h"

namespace eventspace::whatif {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

std::vector<std::string> network_faults(const std::string& yaml) {
  try {
    (void)parse_network(yaml, "n.yaml");
  } catch (const FaultyInput& faulty) {
    return faulty.lines();
  }
  return {};
}

TEST(NetworkFile, AnEthernetHasDefaultsOfTheStandardAndOfTheThesis) {
  const Network network =
      parse_network("network: ethernet\nrate: 100Mb/s\nper_segment: 2us\nstations: [a, b]\n", "my.yaml");
  EXPECT_EQ(network.name, "my");
  EXPECT_THAT(network.stations, ElementsAre("a", "b"));
  const auto& kind = std::get<EthernetNetwork>(network.kind);
  EXPECT_EQ(kind.bits_per_second, 1e8);
  EXPECT_EQ(kind.per_segment, 2'000'000);
  EXPECT_EQ(kind.hand_over, 375'000'000);
  EXPECT_EQ(kind.attempts, 16U);
}

TEST(NetworkFile, LogGpHasTheUnitsOfItsText) {
  const Network network = parse_network(
      "network: loggp\nname: fast\nlatency: 1.5us\nsend_overhead: 300ns\nrate: 10Gb/s\nrendezvous: "
      "64KiB\nlocal_rate: 8Gb/s\n",
      "n.yaml");
  EXPECT_EQ(network.name, "fast");
  EXPECT_EQ(network.local_per_byte, 1000);
  const auto& kind = std::get<LogGpNetwork>(network.kind);
  EXPECT_EQ(kind.latency, 1'500'000);
  EXPECT_EQ(kind.send_overhead, 300'000);
  EXPECT_EQ(kind.per_byte, 800);
  EXPECT_EQ(kind.rendezvous, 65536U);
}

TEST(NetworkFile, AllFaultsAreNamedWithTheirPlaces) {
  EXPECT_THAT(
      network_faults(
          "network: ethernet\nrate: 0Mb/s\nslot_bits: 100\nhand_over: -3us\nsped: 3\nstations: [a, b, a]\n"),
      ElementsAre(
          HasSubstr("n.yaml:2:7: error: found '0Mb/s' for rate; expected a rate of at least 1b/s"),
          HasSubstr(
              "n.yaml:3:12: error: slot_bits is 100; it must be at least twice delay_bits, which is 256"),
          HasSubstr(
              "n.yaml:4:12: error: found '-3us' for hand_over; expected a duration that is not negative"),
          HasSubstr("n.yaml:5:1: error: unknown key 'sped' in an Ethernet"),
          HasSubstr("n.yaml:6:18: error: the station 'a' is listed twice")));
  EXPECT_THAT(network_faults("network: loggp\nlatency: -1us\nrendezvous: many\n"),
              ElementsAre(HasSubstr("'-1us' for latency"),
                          HasSubstr("'many' for rendezvous; expected a number of bytes")));
  EXPECT_THAT(network_faults("network: loggp\n"),
              ElementsAre(HasSubstr("a LogGP network lacks the required key 'latency'")));
  EXPECT_THAT(network_faults("network: token-ring\n"),
              ElementsAre(HasSubstr("unknown network 'token-ring'; known: infinite, loggp, ethernet, switch, "
                                    "tree, fat-tree, platform")));
  EXPECT_THAT(network_faults("rate: 3\n"), ElementsAre(HasSubstr("a network begins with 'network: KIND'")));
  EXPECT_THAT(network_faults("[1, 2]\n"), ElementsAre(HasSubstr("a network begins with")));
  EXPECT_THAT(network_faults("network: ethernet\nrate: 10Mb/s\nleast_frame: 10\n"),
              ElementsAre(HasSubstr("least_frame has 80 bits")));
  EXPECT_FALSE(network_faults("network: [unclosed\n").empty());
}

TEST(NetworkFile, AWrittenNetworkIsReadAsTheSame) {
  for (const char* const yaml :
       {"network: ethernet\nname: 'a: b'\nrate: 10Mb/s\nback_off: ideal\nacknowledges: false\nper_segment: "
        "1ps\nstations: [x, y]\n",
        "network: loggp\nlatency: 1.5us\nreceive_overhead: 3ns\ngap: 2ns\nrate: 10Gb/s\nrendezvous: 0\n",
        "network: infinite\nlocal_latency: 2us\n"}) {
    std::ostringstream once, twice;
    write_network(once, parse_network(yaml, "n"));
    write_network(twice, parse_network(once.str(), "n"));
    EXPECT_EQ(once.str(), twice.str());
  }
}

TEST(NetworkFile, AnUnknownNameIsRefusedWithAllKnownNames) {
  EXPECT_EQ(find_network("ethernet10").name, "ethernet10");
  EXPECT_THAT(test::error_text<ConfigurationError>([&] { (void)find_network("ethernet1000"); }),
              HasSubstr("known: infinite, ethernet10, ethernet100, fitted, or a file"));
  EXPECT_THROW((void)find_network("none/n.yaml"), EnvironmentError);
}

TEST(NetworkFile, SwitchedNetworksHaveAModelAndNamesForTheirStations) {
  const Network one = parse_network(
      "network: switch\nrate: 1Gb/s\nlatency: 10us\nbackplane: 8Gb/s\nmodel: LV08\ntcp_window: 4MiB\n",
      "n.yaml");
  const auto& of = std::get<SwitchedNetwork>(one.kind);
  EXPECT_EQ(of.shape, SwitchedNetwork::Shape::one_switch);
  EXPECT_EQ(of.bits_per_second, 1e9);
  EXPECT_EQ(of.backplane, 8e9);
  EXPECT_EQ(of.model, "LV08");
  EXPECT_EQ(of.tcp_window, 4U << 20);
  EXPECT_TRUE(one.stations.empty());

  const Network tree = parse_network(
      "network: tree\nrate: 1Gb/s\nlatency: 10us\nhosts: 3\nswitches: 2\nuplink_rate: 10Gb/s\n", "n.yaml");
  EXPECT_EQ(std::get<SwitchedNetwork>(tree.kind).uplink_latency, 10'000'000);
  EXPECT_THAT(tree.stations, ElementsAre("n0", "n1", "n2", "n3", "n4", "n5"));

  const Network fat = parse_network(
      "network: fat-tree\nrate: 1Gb/s\nlatency: 1us\ndown: [2, 2]\nup: [1, 2]\nstations: [a, b, c, d]\n",
      "n.yaml");
  EXPECT_THAT(std::get<SwitchedNetwork>(fat.kind).cables, ElementsAre(1U, 1U));
  EXPECT_THAT(fat.stations, ElementsAre("a", "b", "c", "d"));

  const Network own = parse_network("network: platform\nfile: torus.xml\n", "some/where/n.yaml");
  EXPECT_EQ(std::get<SwitchedNetwork>(own.kind).platform, "some/where/torus.xml");
  EXPECT_THAT(describe(own), HasSubstr("SimGrid's model CM02: platform"));
}

TEST(NetworkFile, FaultsOfSwitchedNetworksAreNamed) {
  EXPECT_THAT(network_faults("network: switch\nrate: 0b/s\nlatency: 1us\nmodel: ping\nhosts: 4\n"),
              testing::UnorderedElementsAre(HasSubstr("'0b/s' for rate"), HasSubstr("model"),
                                            HasSubstr("unknown key 'hosts' in a switch")));
  EXPECT_THAT(network_faults("network: fat-tree\nrate: 1Gb/s\nlatency: 1us\ndown: [4, 4]\nup: [1]\n"),
              ElementsAre(HasSubstr("up has 1 levels, and down has 2")));
  EXPECT_THAT(network_faults("network: fat-tree\nrate: 1Gb/s\nlatency: 1us\ndown: [60000, 60000]\n"),
              ElementsAre(HasSubstr("is the number of stations; expected 1 to 65536")));
  EXPECT_THAT(network_faults("network: platform\nlocal_latency: 1us\n"),
              testing::UnorderedElementsAre(HasSubstr("lacks the required key 'file'"),
                                            HasSubstr("unknown key 'local_latency'")));
}

TEST(NetworkFile, SwitchedNetworksAreReadAsTheyWereWritten) {
  for (const std::string yaml :
       {"network: switch\nrate: 1Gb/s\nlatency: 10us\nbackplane: 8Gb/s\nrendezvous: 1KiB\n",
        "network: tree\nrate: 1Gb/s\nlatency: 10us\nhosts: 3\nswitches: 2\nuplink_rate: "
        "10Gb/s\ncrosstraffic: true\n",
        "network: fat-tree\nrate: 1Gb/s\nlatency: 1us\ndown: [2, 2]\nup: [1, 2]\n",
        "network: platform\nfile: /torus.xml\nmodel: SMPI\n"}) {
    const Network network = parse_network(yaml, "n.yaml");
    std::ostringstream once;
    write_network(once, network);
    std::ostringstream twice;
    write_network(twice, parse_network(once.str(), "n.yaml"));
    EXPECT_EQ(once.str(), twice.str());
    EXPECT_EQ(describe(parse_network(once.str(), "n.yaml")), describe(network));
  }
}

}  // namespace
}  // namespace eventspace::whatif
