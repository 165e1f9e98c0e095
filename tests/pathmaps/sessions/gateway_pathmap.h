#pragma once

#include <string>

#include "tests/paths/server_talk.h"

namespace eventspace::test {

/// A pathmap of processes p0 on node n1 and p1 on n2, behind the gateway g, all on this machine. Thread a of
/// p0 sends to thread b of p1 through an element of p1; event collectors are at the threads. `scopes` is the
/// content of `scopes:`.
inline std::string pathmap_behind_gateway(const std::string& name, const std::string& scopes) {
  const auto port = [] { return std::to_string(free_port()); };
  return "pathmap: 1\nname: " + name + "\ncluster:\n  nodes:\n    g: {host: 127.0.0.1, port: " + port() +
         "}\n    n1: {host: 127.0.0.1, port: " + port() + "}\n    n2: {host: 127.0.0.1, port: " + port() +
         "}\n"
         "  clusters:\n    c: {gateway: g, nodes: [n1, n2]}\n"
         "application:\n  threads: [a, b]\n"
         "  elements:\n    - {name: box, tuple: [int], threshold: 4}\n"
         "  paths:\n    - {thread: a, name: send, element: box, use: write}\n"
         "    - {thread: b, name: receive, element: box, use: read}\n"
         "placement:\n  processes:\n    p0: {node: n1, port: " +
         port() + ", threads: a}\n    p1: {node: n2, port: " + port() +
         ", threads: b}\n"
         "  elements:\n    - {elements: box, with: reader}\n"
         "collect:\n  points:\n    - {threads: [a, b], at: [thread]}\n"
         "scopes:\n" +
         scopes;
}

}  // namespace eventspace::test
