#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <set>
#include <string>

#include <eventspace/deadline.h>
#include <eventspace/stage.h>
#include "paths/bodies/target_kind.h"
#include "paths/links/link_pool.h"
#include "paths/links/network.h"
#include "paths/wire/wire.h"

namespace eventspace {

class LoopDescriptor;

/// Additional work for a server's loop, besides the requests of its peers. The loop's thread calls all
/// functions; they must not block.
class Attendant {
 public:
  /// Called when the loop begins. `links` belong to the loop and are valid until end(). Any thread may call
  /// `call` until then, which makes the loop call attend() soon.
  virtual void begin(LinkPool& links, std::function<void()> call) = 0;
  virtual void attend() = 0;
  /// The time at which the loop should call attend() even without a call of `call`.
  [[nodiscard]] virtual Deadline due() = 0;
  /// Called when the loop ends. The attendant uses neither links nor `call` after it.
  virtual void end() = 0;

 protected:
  ~Attendant() = default;
};

/// Serves the operations of remote stages: opens targets (elements, paths, scopes) for its peers and performs
/// operations on them. One thread does all the work and never blocks in an operation: an operation that is
/// not ready is set aside until it is ready or its time is up. Messages that are malformed, oversized, of
/// another version or replayed are counted by cause and answered with an error; the server continues.
///
///     Server server(network, {.endpoint = "tcp://127.0.0.1:9100",
///                             .name = "node n1",
///                             .targets = {{"element", element_kind(open_element)}}});
///     server.start();
///
/// Bounds (NetworkLimits): the size of messages, the numbers of open targets and peers, the messages queued
/// to a peer that does not read. A target that is not used for the lease is freed.
///
/// run(), start() or serve() is called by one thread, the first two once; stop() and report() are
/// thread-safe. `network` must outlive the server.
class Server {
 public:
  struct Config {
    /// "tcp://HOST:PORT", or a local endpoint (paths/links/local_endpoint.h) that the caller has taken, see
    /// SessionSocket
    std::string endpoint;
    std::string name;  ///< "node n1", "process p0"
    std::string session;
    std::uint64_t fingerprint{0};
    std::map<std::string, std::shared_ptr<const TargetKind>> targets;  ///< by their name in open requests
    std::set<std::string> routes;   ///< endpoints to which it forwards; others are refused
    Attendant* attendant{nullptr};  ///< may be null; not owned, must outlive the server
    /// The kinds of targets that observers may open, here and behind routes; they may only pull from them.
    std::set<std::string> observable{};
  };

  /// Binds the endpoint. Throws EnvironmentError if that fails, with its own text if the port is taken.
  Server(Network& network, Config config);
  ~Server();  ///< stops the server and waits for its thread; in a forked child, leaves it to the parent
  Server(const Server&) = delete;
  Server& operator=(const Server&) = delete;

  /// Serves in the calling thread until stop().
  void run();
  /// Serves in a new thread until stop() or destruction.
  void start();
  /// Serves in the calling thread once: waits for events until the deadline, and handles them. For threads
  /// that have other work; peers wait while they do it. Called by one thread. Before the server is destroyed,
  /// that thread calls end_serving().
  void serve(Deadline deadline);
  /// For a caller of serve() that waits elsewhere: `outside` becomes readable when serve(Deadline::now()) has
  /// work, or the deadline has passed. Call after each serve().
  void show_to(LoopDescriptor& outside, Deadline deadline);
  /// Ends the operations under way, like the end of run().
  void end_serving();
  /// Makes run() return soon. Operations under way end with Status::closed. Thread-safe and
  /// async-signal-safe; does not wait.
  void stop() noexcept;

  /// The report that answers a ping. Thread-safe; each figure is right at some instant during the call.
  [[nodiscard]] wire::ServerReport report() const;

 private:
  class Loop;
  std::unique_ptr<Loop> loop_;
  std::int32_t owner_;  // the process
};

}  // namespace eventspace
