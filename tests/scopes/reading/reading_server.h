#pragma once

#include "paths/server/server.h"
#include "scopes/reading/local_segments.h"
#include "scopes/scope_builder.h"
#include "tests/paths/links/free_port.h"

namespace eventspace::test {

/// The server of node n1, which runs parts of scopes over the segments in a directory.
struct ReadingServer {
  ReadingServer(std::uint16_t port, const std::filesystem::path& directory, const PlanNames& names,
                const NodeClock& clock = {}, const std::set<std::string>& endpoints = {})
      : network({}, WhenLost::reconnect, clock),
        segments({"wind", "n1", 0xfeed, directory, std::chrono::nanoseconds(0), clock}),
        server(network, {local_endpoint(port),
                         "node n1",
                         "wind",
                         0xfeed,
                         {{scope_target, scope_target_kind("", names, segments, 0xfeed, endpoints)}},
                         endpoints}) {
    server.start();
  }

  Network network;
  LocalSegments segments;
  Server server;
};

}  // namespace eventspace::test
