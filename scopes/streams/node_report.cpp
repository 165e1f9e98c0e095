#include "scopes/streams/node.h"
#include "scopes/streams/report.h"

// What a process says of its streams.

namespace eventspace::streams {

std::vector<StreamReport> StreamNode::report() const {
  std::vector<StreamReport> reports;
  reports.reserve(streams_.size());
  for (const auto& [number, stream] : streams_) {
    StreamReport& one = reports.emplace_back();
    one.stream = number;
    one.counters = counters(number);
    one.waiting_up = held_up(stream);
    one.waiting_down = held_down(stream);
    for (const auto& [child, flow] : stream.down) one.unfinished += stream.waves.held(child);
  }
  return reports;
}

}  // namespace eventspace::streams
