#include "scopes/streams/processes/report_gathering.h"

#include <algorithm>
#include <utility>

#include <eventspace/packet.h>
#include <eventspace/stream_network.h>
#include <eventspace/streams.h>
#include <eventspace/topology.h>

namespace eventspace::streams {

void ReportGathering::begin() {
  if (stream_) return;
  processes_.clear();
  if ((node_->ranks() & ranks_of_internals()).empty()) return;
  stream_ = node_->streams().open({.members = ranks_of_internals(),
                                   .synchronise = Synchronise::time_out,
                                   .time_out = time_out,
                                   .up = {{"concat", {}}},
                                   .window = 4});
  (void)node_->streams().send(*stream_, Format<std::string_view>::make(0, report_command));
}

bool ReportGathering::look() {
  if (!stream_) return true;
  if (const auto received = node_->streams().take(stream_)) take_in(received->packet);
  // The last internal process may have left; the wave would then never come.
  if (stream_ && (node_->ranks() & ranks_of_internals()).empty())
    node_->streams().close(*std::exchange(stream_, {}));
  return !stream_;
}

void ReportGathering::take_in(const Packet& packet) {
  try {
    for (const std::string_view text : PacketView(packet).texts(0)) {
      if (auto report = parse_process_report(text)) processes_.push_back(std::move(*report));
    }
  } catch (const PacketError&) {
    processes_.clear();  // not an answer of internal processes of this version
  }
  std::ranges::sort(processes_, {}, &ProcessReport::process);
  if (stream_) node_->streams().close(*std::exchange(stream_, {}));
}

}  // namespace eventspace::streams
