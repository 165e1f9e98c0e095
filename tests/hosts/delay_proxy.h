#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>

namespace eventspace::testing_hosts {

/// A link that delays, for kernels without netem: listens like a server, connects to the real one for each
/// connection that it gets, and hands on what either side sends only after a set time, in its order. Holds a
/// bounded amount back for each direction, and reads no more until some of it has left. An end is handed on
/// like bytes. Works in a thread of its own, in the network namespace of the thread that makes it.
class DelayProxy {
 public:
  struct Config {
    std::string listen_address;
    std::string server_address;
    std::uint16_t server_port{0};
    std::chrono::milliseconds delay{};                ///< in each direction
    std::optional<std::chrono::milliseconds> back{};  ///< on the way back, if that takes another time
  };
  /// Throws std::system_error when it cannot listen.
  explicit DelayProxy(Config config);
  ~DelayProxy();

  [[nodiscard]] std::uint16_t port() const;  ///< where it listens

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace eventspace::testing_hosts
