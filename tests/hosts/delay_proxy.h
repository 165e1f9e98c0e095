#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>

namespace eventspace::testing_hosts {

/// A TCP proxy that delays, for kernels without netem. For each accepted connection it connects to the real
/// server, and forwards the bytes of either side, in order, after a set time. The end of a stream is delayed
/// in the same way. It holds a bounded number of bytes for each direction, and reads no more until some have
/// been forwarded. Runs in its own thread, in the network namespace of the thread that creates it.
class DelayProxy {
 public:
  struct Config {
    std::string listen_address;
    std::string server_address;
    std::uint16_t server_port{0};
    std::chrono::milliseconds delay{};                ///< in each direction
    std::optional<std::chrono::milliseconds> back{};  ///< towards the client, if different
  };
  /// Throws std::system_error if it cannot listen.
  explicit DelayProxy(Config config);
  ~DelayProxy();

  [[nodiscard]] std::uint16_t port() const;  ///< the port on which it listens

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace eventspace::testing_hosts
