// Networks in YAML: what is read, what is written, and all faults of a file at once.
#include "monitors/whatif/networks/network_file.h"

#include <gmock/gmock.h>

#include <sstream>

#include "monitors/whatif/actions/faulty_input.h"

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
          HasSubstr("n.yaml:2:7: error: '0Mb/s' for rate; expected a rate of at least 1b/s"),
          HasSubstr(
              "n.yaml:3:12: error: slot_bits is 100; it has to be at least twice delay_bits, which is 256"),
          HasSubstr("n.yaml:4:12: error: '-3us' for hand_over; expected a duration that is not negative"),
          HasSubstr("n.yaml:5:1: error: unknown key 'sped' in an Ethernet"),
          HasSubstr("n.yaml:6:18: error: the station 'a' is there twice")));
  EXPECT_THAT(network_faults("network: loggp\nlatency: -1us\nrendezvous: many\n"),
              ElementsAre(HasSubstr("'-1us' for latency"),
                          HasSubstr("'many' for rendezvous; expected a number of bytes")));
  EXPECT_THAT(network_faults("network: loggp\n"),
              ElementsAre(HasSubstr("a LogGP network has no 'latency', which it needs")));
  EXPECT_THAT(network_faults("network: token-ring\n"),
              ElementsAre(HasSubstr("unknown network 'token-ring'; known: infinite, loggp, ethernet")));
  EXPECT_THAT(network_faults("rate: 3\n"), ElementsAre(HasSubstr("a network begins with 'network: KIND'")));
  EXPECT_THAT(network_faults("[1, 2]\n"), ElementsAre(HasSubstr("a network begins with")));
  EXPECT_THAT(network_faults("network: ethernet\nrate: 10Mb/s\nleast_frame: 10\n"),
              ElementsAre(HasSubstr("least_frame has 80 bits")));
  EXPECT_FALSE(network_faults("network: [unclosed\n").empty());
}

TEST(NetworkFile, WhatIsWrittenIsReadAsTheSame) {
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

TEST(NetworkFile, ANameThatIsNotKnownIsRefusedWithAllThatAre) {
  EXPECT_EQ(find_network("ethernet10").name, "ethernet10");
  try {
    (void)find_network("ethernet1000");
    FAIL();
  } catch (const ConfigurationError& error) {
    EXPECT_THAT(error.what(), HasSubstr("known: infinite, ethernet10, ethernet100, fitted, or a file"));
  }
  EXPECT_THROW((void)find_network("none/n.yaml"), EnvironmentError);
}

}  // namespace
}  // namespace eventspace::whatif
