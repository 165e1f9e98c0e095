// Reads any text as a network. A network that is read, written and read again is written the same.

#include "monitors/whatif/networks/network_file.h"

#include <sstream>

#include "monitors/whatif/actions/faulty_input.h"
#include "tests/fuzz/fuzz.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace eventspace;
  const auto written = [](const std::string& yaml) {
    std::ostringstream out;
    whatif::write_network(out, whatif::parse_network(yaml, "fuzz"));
    return out.str();
  };
  try {
    const std::string once = written(fuzz::text_of(fuzz::bytes_of(data, size)));
    // Rates lose their last digit the first time.
    const std::string twice = written(once);
    if (written(twice).size() > twice.size() + 64) std::abort();
  } catch (const whatif::FaultyInput&) {
  }
  return 0;
}

std::vector<std::string> eventspace::fuzz::seeds() {
  return {
      "network: ethernet\nname: a\nrate: 10Mb/s\nslot_bits: 512\nback_off: ideal\nstations: [a, "
      "b]\nhand_over: 3us\n",
      "network: loggp\nlatency: 1.5us\nsend_overhead: 3ns\ngap: 1us\nrate: 1GB/s\nrendezvous: 64KiB\n",
      "network: infinite\nlocal_latency: 1us\nlocal_rate: 1Gb/s\n",
      "network: switch\nrate: 1Gb/s\nlatency: 10us\nbackplane: 8Gb/s\nmodel: LV08\ntcp_window: 4MiB\n",
      "network: tree\nrate: 1Gb/s\nlatency: 1us\nhosts: 3\nswitches: 2\nuplink_rate: 10Gb/s\ncrosstraffic: "
      "true\n",
      "network: fat-tree\nrate: 1Gb/s\nlatency: 1us\ndown: [4, 4]\nup: [1, 2]\ncables: [1, 2]\nrendezvous: "
      "1B\n",
      "network: platform\nfile: torus.xml\nstations: [a, b]\n"};
}
