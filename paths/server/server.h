#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <thread>

#include "paths/bodies/target_kind.h"
#include "paths/links/link_pool.h"
#include "paths/links/network.h"
#include "paths/stage.h"
#include "paths/wire/wire.h"

namespace eventspace {

/// What a server's loop does besides what its peers ask for. All of it is called by the loop's thread.
class Attendant {
 public:
  /// The loop begins. `links` are its own, until end(); `call`, from any thread, has attend() called soon.
  virtual void begin(LinkPool& links, std::function<void()> call) = 0;
  /// Never waits.
  virtual void attend() = 0;
  /// When to attend though nobody called.
  [[nodiscard]] virtual Deadline due() = 0;
  /// The loop ends: links and `call` are not used after it.
  virtual void end() = 0;

 protected:
  ~Attendant() = default;
};

/// The end that remote stages talk to: opens targets (elements, paths, scopes) for its peers and does
/// their operations, in one thread and without ever waiting for any of them: an operation that is not
/// ready is set aside until it is, or its time is up. What is malformed, oversized, of another version or
/// replayed is counted by cause and answered with an error; the server goes on.
///
/// Bounds (NetworkLimits): message size, open targets, peers, messages queued to a peer that does not
/// drain; targets are freed when unused for the lease.
class Server {
 public:
  struct Config {
    std::string endpoint;  ///< "tcp://HOST:PORT"
    std::string name;      ///< "node n1", "process p0"
    std::string session;
    std::uint64_t fingerprint{0};
    std::map<std::string, std::shared_ptr<const TargetKind>> targets;  ///< by the name that peers ask for
    std::set<std::string> routes;   ///< endpoints to which it forwards; any other is refused
    Attendant* attendant{nullptr};  ///< outlives the server; may be null
  };

  /// Binds. Throws EnvironmentError when it cannot, saying whether the port is taken.
  Server(Network& network, Config config);
  ~Server();  ///< stop()
  Server(const Server&) = delete;
  Server& operator=(const Server&) = delete;

  /// Serves in the calling thread until stop().
  void run();
  /// Serves in a thread of its own until stop() or destruction.
  void start();
  /// From any thread, or a signal handler. Operations under way end as Status::closed.
  void stop() noexcept;

  /// What a ping is answered with. Thread-safe; each figure is right at some instant during the call.
  [[nodiscard]] wire::ServerReport report() const;

 private:
  class Loop;
  std::unique_ptr<Loop> loop_;
  std::thread thread_;
};

}  // namespace eventspace
