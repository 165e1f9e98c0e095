#pragma once

// Keeps ZeroMQ out of the headers that are installed.

#include <memory>
#include <mutex>
#include <zmq.hpp>

#include "paths/security/authenticator.h"

namespace eventspace {

/// The ZeroMQ context of this process, with one I/O thread, and its authenticator. All Networks share it. It
/// is made with the first Network and ends with the last. A forked child makes its own context. Thread-safe.
class SharedContext {
 public:
  /// Returns the context of this process.
  static std::shared_ptr<SharedContext> get();
  /// While the result exists, contexts are not made or ended, see make_curve_keys.
  static std::unique_lock<std::mutex> pause_making();

  SharedContext();
  ~SharedContext();
  SharedContext(const SharedContext&) = delete;
  SharedContext& operator=(const SharedContext&) = delete;

  [[nodiscard]] zmq::context_t& zmq() noexcept { return zmq_; }
  /// The authenticator, whose thread starts at the first call.
  [[nodiscard]] Authenticator& authenticator();

 private:
  zmq::context_t zmq_;
  std::mutex mutex_;  // guards the next
  std::unique_ptr<Authenticator> authenticator_;
};

}  // namespace eventspace
