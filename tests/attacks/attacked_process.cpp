// A process that a test attacks, until its standard input ends:
//
//     attacked_process node PATHMAP NODE         the server of a node
//     attacked_process process PATHMAP PROCESS   a process of an application; its thread does nothing
//     attacked_process local ENDPOINT            a server at any endpoint, with the element "box"
#include <unistd.h>

#include <cstdio>
#include <memory>
#include <string>

#include <eventspace/session.h>
#include "pathmaps/pathmap.h"
#include "pathmaps/sessions/node_server.h"
#include "paths/bodies/element_bodies.h"
#include "paths/element_stage.h"
#include "paths/links/network.h"
#include "paths/server/server.h"
#include "tuplespace/element.h"

namespace {

using namespace eventspace;

void wait_for_the_end() {
  char byte = 0;
  while (::read(STDIN_FILENO, &byte, 1) > 0) {
  }
}

void serve_node(const std::string& pathmap, const std::string& name) {
  const auto plan = std::make_shared<const Plan>(load_plan(pathmap).plan.value());
  for (const NodeIndex node : plan->nodes.indices()) {
    if (plan->nodes[node].name != name) continue;
    NodeServer server(plan, node, {});
    server.start();
    wait_for_the_end();
  }
}

void run_process(const std::string& pathmap, const std::string& name) {
  const Session session = Session::join(pathmap, name);
  wait_for_the_end();
}

void serve_locally(const std::string& endpoint) {
  NetworkLimits limits;
  limits.message_bytes = 1u << 20;
  Network network(limits);
  Element box({"box", {FieldType::integer}, 4});
  const auto open = [&box](Bytes, LinkPool&) { return std::make_unique<ElementStage>(box); };
  Server server(network,
                {endpoint, "a server", "small", 0xfeed, {{"element", element_kind(open)}}, {}, nullptr});
  server.start();
  wait_for_the_end();
}

}  // namespace

int main(int argc, char** argv) {
  const std::string what = argc > 2 ? argv[1] : "";
  try {
    if (what == "node" && argc == 4) return serve_node(argv[2], argv[3]), 0;
    if (what == "process" && argc == 4) return run_process(argv[2], argv[3]), 0;
    if (what == "local") return serve_locally(argv[2]), 0;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "attacked_process: %s\n", error.what());
    return 1;
  }
  return 2;
}
