#pragma once

#include <gtest/gtest.h>

#include <chrono>
#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "paths/links/link_pool.h"
#include "scopes/scope.h"
#include "tests/paths/links/free_port.h"
#include "tests/scopes/reading/process_talk.h"
#include "tests/scopes/reading/reading_server.h"

namespace eventspace::test {

/// A server that reads the segments of killed runs of process p0, and a consumer's scope over it.
class ServedScopeTest : public testing::Test {
 protected:
  ServedScopeTest() {
    serve();
    scope = open([](ScopeTree&) {});
  }
  /// A scope whose tree the test may change: the server's node reads two trace elements, one each.
  template <class Change>
  std::unique_ptr<EventScope> open(Change change) {
    ScopeTree tree{"events", 0xfeed, true, 1000, 0, {}, {}};
    tree.root.name = "all";
    tree.root.wrapper = "gather";
    tree.root.children = {node({read({{3, 0}, {5, 0}})})};
    change(tree);
    return std::make_unique<EventScope>(
        tree, ScopeSurroundings{&links, nullptr, &names, 0xfeed, {local_endpoint(port)}});
  }
  static ScopeNode read(std::vector<SourceRef> sources) {
    ScopeNode read;
    read.name = "process p0";
    read.wrapper = "read";
    read.sources = std::move(sources);
    return read;
  }
  [[nodiscard]] ScopeNode node(std::vector<ScopeNode> children) const {
    ScopeNode node;
    node.name = "node n1";
    node.wrapper = "gather";
    node.node = "n1";
    node.endpoint = local_endpoint(port);
    node.children = std::move(children);
    return node;
  }
  void serve() { server = std::make_unique<ReadingServer>(port, directory.path(), names); }
  void serve_anew() {
    server.reset();
    serve();
  }
  void pull_once(std::chrono::nanoseconds limit = std::chrono::seconds(2)) {
    view = scope->pull({Deadline::after(limit), false});
  }
  /// Pulls until the server answers.
  std::vector<std::uint64_t> pull() {
    const Deadline patience = Deadline::after(std::chrono::seconds(20));
    do {
      pull_once();
    } while (view.processes.empty() && !patience.passed());
    return sequences(view);
  }
  /// Returns whether the last view has exactly one missing entry, with this cause.
  [[nodiscard]] bool misses(MissingCause cause) const {
    return view.missing.size() == 1 && view.missing[0].cause == cause;
  }

  TemporaryDirectory directory;
  KilledProcesses runs{directory.path()};
  PlainNames names;
  std::uint16_t port{free_port()};
  std::unique_ptr<ReadingServer> server;
  Network network;
  LinkPool links{network};
  std::unique_ptr<EventScope> scope;
  View view;
};

}  // namespace eventspace::test
