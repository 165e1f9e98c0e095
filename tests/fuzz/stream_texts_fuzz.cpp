// Reads any text as an attach point, as reports of processes and networks, as a start sheet, and as a
// condition over end-points. A text that is read and written is read again as the same.

#include <eventspace/error.h>
#include <eventspace/stream_network.h>
#include <eventspace/streams.h>
#include <eventspace/topology.h>
#include "scopes/streams/attaching/attach_lines.h"
#include "scopes/streams/launching/start_sheet.h"
#include "tests/fuzz/fuzz.h"

namespace {

using namespace eventspace;

template <class Read>
void attempt(Read read) {
  try {
    read();
  } catch (const ConfigurationError&) {
  }
}

void require_same(const std::string& one, const std::string& other) {
  if (one != other) std::abort();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string text = fuzz::text_of(fuzz::bytes_of(data, size));
  attempt([&] { (void)streams::AttachPoint::of_text(text, 5); });
  attempt([&] { (void)streams::attach_points(text); });
  attempt([&] {
    const std::string once = streams::to_text(streams::parse_start_sheet(text));
    require_same(once, streams::to_text(streams::parse_start_sheet(once)));
  });
  attempt([&] {
    streams::EndPoints end_points(streams::Topology::flat(4));
    end_points.label(end_points.back_ends(), "role", "x");
    (void)end_points.where(text);
  });
  if (const auto report = streams::parse_network_report(text)) {
    const std::string once = streams::to_text(*report);
    require_same(once, streams::to_text(streams::parse_network_report(once).value()));
  }
  return 0;
}

std::vector<std::string> eventspace::fuzz::seeds() {
  streams::NetworkReport report{.network = "tools", .topology = "any:0 => any:1 ;\n", .back_ends = 1};
  report.processes.push_back(
      {.process = 0, .host = "n1", .pid = 1, .streams = {{.stream = 1, .filters = {{"sum", false, {}}}}}});
  streams::StartSheet sheet{.network = "tools", .process = 1, .parent = "ipc://x"};
  sheet.options.launchers["n3"] = {"srun"};
  sheet.options.session = "solver";
  sheet.topology = "any:0 => any:1 ;\n";
  return {"tools tcp://n1:4 0-7 /run/keys\ntools ipc:///x 8\n", streams::to_text(report),
          streams::to_text(sheet),
          "role == 'x' and (rank % 2 == 0 or host matches 'n[1-4]') and not internal"};
}
