#pragma once

#include <sys/types.h>

#include <stdexcept>
#include <string>
#include <vector>

namespace eventspace::testing_hosts {

/// This machine, or this user, does not allow what hosts are made of; the text says what and why.
class NotPermitted : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// A network namespace, and the processes in it, which end with this object. A process that lives inside
/// holds it, so that it needs neither a name nor a mount. That process also ends, and all in the namespace
/// with it, when the one that made this object is killed.
class NetworkNamespace {
 public:
  NetworkNamespace();  ///< Throws NotPermitted.
  ~NetworkNamespace();
  NetworkNamespace(NetworkNamespace&& other) noexcept;
  NetworkNamespace& operator=(NetworkNamespace&& other) = delete;

  [[nodiscard]] pid_t holder() const noexcept { return holder_; }
  /// The words that start a command inside.
  [[nodiscard]] std::vector<std::string> launch() const;

 private:
  int tie_;  // the holder has the other end
  pid_t holder_{0};
};

/// The calling thread is inside for as long as this exists, and so are threads and processes that it starts
/// meanwhile. The namespace outlives this.
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
