#pragma once

#include <gtest/gtest.h>

#include <chrono>
#include <functional>
#include <memory>
#include <string>
#include <thread>

#include <eventspace/error.h>
#include <eventspace/path.h>
#include <eventspace/stage.h>
#include "paths/bodies/element_bodies.h"
#include "paths/element_stage.h"
#include "paths/remote/remote_stage.h"
#include "paths/server/server.h"
#include "tests/paths/links/free_port.h"
#include "tests/tuplespace/octets.h"
#include "tuplespace/element_space.h"

namespace eventspace::test {

using namespace std::chrono_literals;

/// Waits until `holds` returns true, for at most a minute; returns whether it did.
inline bool eventually(const std::function<bool()>& holds) {
  for (const auto end = std::chrono::steady_clock::now() + 60s; std::chrono::steady_clock::now() < end;) {
    if (holds()) return true;
    std::this_thread::sleep_for(1ms);
  }
  return holds();
}

using Targets = std::map<std::string, std::shared_ptr<const TargetKind>>;

/// A server for the elements of a space, by their names, and optionally for more kinds of targets.
class ElementServer {
 public:
  explicit ElementServer(std::uint16_t port, NetworkLimits limits = {}, Targets more = {},
                         std::set<std::string> routes = {}, const NodeClock& clock = NodeClock())
      : network_(limits, WhenLost::reconnect, clock) {
    more.emplace("element", element_kind([this](Bytes spec, LinkPool&) -> std::unique_ptr<Stage> {
                   const std::string name(reinterpret_cast<const char*>(spec.data()), spec.size());
                   Element* const element = space_.find(name);
                   if (element == nullptr) throw ConfigurationError("there is no element '" + name + "'");
                   return std::make_unique<ElementStage>(*element);
                 }));
    server_ = std::make_unique<Server>(network_, Server::Config{local_endpoint(port), "node n1", "wind",
                                                                0xfeed, std::move(more), std::move(routes)});
    server_->start();
  }

  Element& element(const std::string& name, std::size_t threshold = 2,
                   const Signature& signature = {FieldType::integer}) {
    Element* const found = space_.find(name);
    return found != nullptr ? *found : space_.create({name, signature, threshold});
  }
  [[nodiscard]] wire::ServerReport report() const { return server_->report(); }
  [[nodiscard]] std::uint64_t refused(wire::Fault fault) const {
    return report().refused.at(static_cast<std::size_t>(fault));
  }
  void stop() { server_->stop(); }

 private:
  Network network_;
  ElementSpace space_;
  std::unique_ptr<Server> server_;
};

/// The connections of one thread, and paths over them.
class Client {
 public:
  explicit Client(NetworkLimits limits = {}, WhenLost when_lost = WhenLost::reconnect)
      : network_(limits, when_lost) {}

  static RemoteTarget target(const std::string& element, std::vector<std::string> hops) {
    RemoteTarget target;
    target.endpoint = hops.front();
    target.open = {"element", octets_of(element), {hops.begin() + 1, hops.end()}};
    target.node = "n1";
    target.answer_grace = 2s;
    return target;
  }
  Path path(const std::string& element, std::vector<std::string> hops) {
    return {element, std::make_unique<RemoteStage>(links_, target(element, std::move(hops)))};
  }
  Path path(const std::string& element, std::uint16_t port) { return path(element, {local_endpoint(port)}); }
  /// The path of an operation that has `allowance` (RemoteTarget::allowance) in its deadline.
  Path patient_path(const std::string& element, std::uint16_t port, std::chrono::nanoseconds allowance) {
    RemoteTarget to = target(element, {local_endpoint(port)});
    to.allowance = allowance;
    return {element, std::make_unique<RemoteStage>(links_, std::move(to))};
  }

  /// Sends any bytes as request `id` and returns the reply.
  std::optional<Reply> ask(std::uint16_t port, std::uint64_t id, wire::Message message) {
    Link& link = links_.to(local_endpoint(port));
    if (!link.send(id, std::move(message), nullptr)) return std::nullopt;
    return link.wait(id, Deadline::after(10s));
  }
  LinkPool& links() { return links_; }
  Link& link(std::uint16_t port) { return links_.to(local_endpoint(port)); }
  /// Ends all waits for the server.
  void close() { network_.close(); }

 private:
  Network network_;
  LinkPool links_{network_};
};

inline Tuple number(std::int64_t value) { return Tuple::of({value}); }

/// A write has the tuple 99.
inline Operation operation_of(Verb verb, Deadline deadline = Deadline::never()) {
  Operation operation;
  operation.verb = verb;
  operation.deadline = deadline;
  if (verb == Verb::write) operation.tuple = number(99);
  return operation;
}

/// The received number as text, such as "7", or the status: "empty", "timed out", "refused: there is no ...".
inline std::string told(const Received& received) {
  if (received) return std::to_string(received.tuple.get<std::int64_t>(0));
  std::string text(to_string(received.status));
  if (received.status == Status::refused) text += ": " + received.reason;
  return text;
}

}  // namespace eventspace::test
