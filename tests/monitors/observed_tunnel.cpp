#include "tests/monitors/observed_tunnel.h"

namespace eventspace::testing_commands {
namespace {

// `node1`, `node2`: the definitions of the nodes.
std::string pathmap_text(const std::string& node1, const std::string& node2) {
  const auto port = [] { return std::to_string(free_port()); };
  return "pathmap: 1\nname: faults\n"
         "cluster: {nodes: {n1: " +
         node1 + ", n2: " + node2 +
         "}}\n"
         "application:\n"
         "  threads: ['t[0-3]', main]\n"
         "  elements:\n"
         "    - {name: 'progress/{thread}', for: 't*', tuple: [int, int], threshold: 200, when_full: "
         "discard}\n"
         "    - {name: results, tuple: [int, int, bytes], threshold: 280}\n"
         "  generate:\n"
         "    - neighbour-exchange: {threads: 't*', wrap: true, north: [n, ne, nw], south: [s, se, sw],\n"
         "                           tuple: [int, bytes], threshold: 2}\n"
         "  paths:\n"
         "    - {thread: 't*', name: progress, element: 'progress/{thread}', use: write}\n"
         "    - {thread: 't*', name: result, element: results, use: write}\n"
         "    - {thread: main, name: results, element: results, use: read}\n"
         "placement:\n"
         "  elements: [{elements: 'border/**', with: reader}, {elements: results, with: reader}]\n"
         "  processes:\n"
         "    p0: {node: n1, port: " +
         port() +
         ", threads: ['t[0-1]', main]}\n"
         "    p1: {node: n2, port: " +
         port() +
         ", threads: 't[2-3]'}\n"
         "collect: {points: [{threads: 't*', at: [thread]}]}\n"
         "scopes:\n"
         "  heartbeat:\n"
         "    threads: 't*'\n"
         "    timeout: 500ms\n"
         "    levels: [{group: all, wrapper: gather}, {group: node, wrapper: gather},\n"
         "             {group: thread, wrapper: {reduce: {keep: latest}}}]\n"
         "  events:\n"
         "    threads: 't*'\n"
         "    read: next\n"
         "    timeout: 500ms\n"
         "    levels: [{group: all, wrapper: gather}, {group: node, wrapper: gather}]\n";
}

}  // namespace

void ObservedTunnel::SetUp() {
  observe(write("faults.yaml", pathmap_text(node("n1", free_port()), node("n2", free_port()))), {0, 1, 2, 3});
}

ChildProcess& ObservedTunnel::tunnel(const std::string& process, std::vector<std::string> more) {
  std::vector<std::string> command{
      WINDTUNNEL_PROGRAM, "--pathmap", pathmap_.string(), "--process", process, "--n", "64",
      "--steps",          steps_};
  command.insert(command.end(), more.begin(), more.end());
  return launch(node_of(process), std::move(command), process + ".log");
}

void ObservedTunnel::start_servers() {
  serve("n1");
  server2_ = &serve("n2");
}

void ObservedTunnel::start_all(const std::vector<std::string>& stall) {
  start_servers();
  tunnel("p0", stall);
  process1_ = &tunnel("p1", stall);
}

}  // namespace eventspace::testing_commands
