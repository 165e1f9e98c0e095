#pragma once

#include <sys/types.h>

#include <stdexcept>
#include <string>
#include <vector>

namespace eventspace::testing_hosts {

/// Thrown if the machine, or the rights of the user, do not allow simulated hosts. The text gives the reason.
class NotPermitted : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// A network namespace. The destructor kills all processes in it. A process inside, the holder, keeps the
/// namespace in existence, so that it needs neither a name nor a mount. When the process that owns this
/// object is killed, the holder kills all processes in the namespace and also ends.
class NetworkNamespace {
 public:
  NetworkNamespace();  ///< Throws NotPermitted.
  ~NetworkNamespace();
  NetworkNamespace(NetworkNamespace&& other) noexcept;
  NetworkNamespace& operator=(NetworkNamespace&& other) = delete;

  [[nodiscard]] pid_t holder() const noexcept { return holder_; }
  /// Returns the command prefix that starts a command inside.
  [[nodiscard]] std::vector<std::string> launch() const;

 private:
  int tie_;  // the other end belongs to the holder
  pid_t holder_{0};
};

/// Moves the calling thread into a namespace for the lifetime of this object. Threads and processes that it
/// starts in this time are also inside. The namespace must outlive this object.
class Visit {
 public:
  explicit Visit(const NetworkNamespace& inside);
  ~Visit();
  Visit(const Visit&) = delete;
  Visit& operator=(const Visit&) = delete;

 private:
  int home_;
};

}  // namespace eventspace::testing_hosts
