#pragma once

#include <mutex>
#include <string>
#include <thread>

#include "tuplespace/system/mapping.h"

namespace eventspace::testing_hosts {

/// Keeps all packets that pass the devices of the calling thread's network namespace, like an attacker on the
/// network. Requires the right to open raw sockets, which every process has that can make namespaces.
class LinkCapture {
 public:
  LinkCapture();  ///< Throws std::system_error.

  /// The packets so far, in order.
  [[nodiscard]] std::string seen() const;

 private:
  void run(const std::stop_token& stop);

  FileHandle socket_;
  mutable std::mutex mutex_;  // guards the next
  std::string seen_;
  std::jthread thread_;
};

}  // namespace eventspace::testing_hosts
