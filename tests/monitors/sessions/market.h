#pragma once

#include <string>

#include "tests/monitors/workplace.h"

namespace eventspace::testing_commands {

/// A session of threads w0 and w1, in process "writers", and r0 and r1, in process "readers", at a queue of
/// 50 tuples that is placed with its readers (tests/monitors/sessions/queue_app.cpp).
class Market : public Workplace {
 protected:
  /// The pathmap, in the file `name`. `nodes` are the nodes of its cluster; "n1" and "n2" are used, and with
  /// `shared` (", shared: SIZE") only "n1".
  [[nodiscard]] std::filesystem::path market(const std::string& name = "market.yaml",
                                             const std::string& nodes = "n1: {}, n2: {}",
                                             const std::string& writers = "w0, w1",
                                             const std::string& head = "",
                                             const std::string& shared = "") const {
    return write(name, "pathmap: 1\nname: market\n" + head + "cluster: {nodes: {" + nodes +
                           "}}\n"
                           "application:\n"
                           "  threads: [" +
                           writers +
                           ", r0, r1]\n"
                           "  elements: [{name: queue, tuple: [int], threshold: 50, when_full: wait}]\n"
                           "  paths:\n"
                           "    - {thread: \"w*\", name: queue, element: queue, use: write}\n"
                           "    - {thread: \"r*\", name: queue, element: queue, use: read}\n"
                           "placement:\n"
                           "  processes:\n"
                           "    writers: {node: n1, threads: [" +
                           writers +
                           "]}\n"
                           "    readers: {node: " +
                           (shared.empty() ? "n2" : "n1") +
                           ", threads: [r0, r1]}\n"
                           "  elements: [{elements: queue, process: readers" +
                           shared +
                           "}]\n"
                           "collect: {points: [{at: thread}]}\n"
                           "scopes:\n" +
                           monitors_scopes);
  }
  /// Starts the servers, and the writers and readers. `readers`: "take" or "nothing", what the readers do.
  Call start_market(const std::filesystem::path& pathmap, const char* readers = "take") {
    start_servers_of(pathmap);
    Call application = start({"run", pathmap, "--", QUEUE_APP, readers});
    EXPECT_TRUE(application.says("ready writers") && application.says("ready readers")) << application.err();
    return application;
  }
};

}  // namespace eventspace::testing_commands
