#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "paths/links/network.h"
#include "paths/views/rank_set.h"
#include "scopes/streams/attaching/attach_point.h"
#include "scopes/streams/packets/packet.h"

namespace eventspace::streams {

/// An internal process of a network of streams: forwards packets and runs filters. One thread does all the
/// work: each hop of a packet is one receive and one send on that thread. When its parent is gone, a process
/// above adopts it. It ends with the network, or if no process adopts it.
class InternalProcess {
 public:
  struct Config {
    AttachPoint parent;
    std::string endpoint;        ///< where children attach
    RankSet places{};            ///< ranks that back-ends attach with, here
    RankSet below{};             ///< all ranks below: those that lose their parents may attach here
    std::size_t children{1024};  ///< limit for attached children
    std::shared_ptr<const SessionSecurity> security{};
    /// Its number in the topology. With a number the process is also an end-point, see commands.h.
    std::optional<std::uint32_t> process{};
    std::string host{};       ///< name of the machine in reports; empty: its real name
    std::string announced{};  ///< where children connect, if that is not `endpoint`
    /// Called by the process's thread about ten times a second, with a function that sends a packet unasked
    /// (CommandCall::send). May be empty.
    std::function<void(const std::function<bool(std::uint32_t, const Packet&)>& send)> look{};
  };

  /// Listens at its endpoint. Throws EnvironmentError if that is not possible.
  explicit InternalProcess(Config config);
  ~InternalProcess();
  InternalProcess(const InternalProcess&) = delete;
  InternalProcess& operator=(const InternalProcess&) = delete;

  void run();    ///< serves in the calling thread until it ends
  void start();  ///< serves in a thread of its own
  void stop() noexcept;
  /// Whether it has ended by itself: with its network, or because it could not attach. Thread-safe.
  [[nodiscard]] bool has_ended() const noexcept;
  /// Why run() has ended, if the parent was the cause: "cannot attach to ..." or the loss of the connection.
  /// To be called after run().
  [[nodiscard]] std::string fault() const;
  /// Whether it was ever attached to its parent. To be called after run().
  [[nodiscard]] bool was_attached() const;

 private:
  class State;
  std::unique_ptr<State> state_;
};

}  // namespace eventspace::streams
