#pragma once

// Keeps ZeroMQ out of the headers that are installed.

#include <cstdint>
#include <map>
#include <mutex>
#include <string>
#include <thread>
#include <vector>
#include <zmq.hpp>

#include "paths/security/session_security.h"

namespace eventspace {

/// Decides which peers may connect to the listening sockets of a process, by the public key that they have
/// proved (ZAP, https://rfc.zeromq.org/spec/27/). Each listening Network has its own domain, with the list of
/// the peers that it admits. Everything else is refused: other keys, unknown domains, mechanisms other than
/// CURVE, requests that cannot be read.
///
/// The role of an admitted peer is the "User-Id" of each message that it sends.
///
/// A separate thread answers the requests, because a process may listen before its server's thread is
/// started. The thread starts with the first listening socket that has keys, so a process that only connects
/// does not have it; it sleeps except while a peer connects. Thread-safe.
class Authenticator {
 public:
  /// Throws EnvironmentError if something else in this context answers ZAP requests.
  explicit Authenticator(zmq::context_t& context);
  /// Requires that the context was shut down.
  ~Authenticator();
  Authenticator(const Authenticator&) = delete;
  Authenticator& operator=(const Authenticator&) = delete;

  /// A list of admitted peers; after its destruction, peers are no longer admitted.
  class Domain {
   public:
    Domain(Authenticator& authenticator, const std::vector<Admitted>& admitted);
    ~Domain();
    Domain(const Domain&) = delete;
    Domain& operator=(const Domain&) = delete;
    /// For zmq::sockopt::zap_domain.
    [[nodiscard]] const std::string& name() const noexcept { return name_; }

   private:
    Authenticator* authenticator_;
    std::string name_;
  };

 private:
  using Request = std::vector<std::string>;  // the frames of a message
  struct Verdict {
    bool admitted{false};
    Role role{};
  };

  void run();
  void answer(const Request& request);
  [[nodiscard]] Verdict judge(const Request& request);

  zmq::socket_t socket_;
  std::mutex mutex_;  // guards the next two
  std::map<std::string, std::map<PublicKey, Role>> domains_;
  std::uint64_t last_domain_{0};
  std::thread thread_;
};

}  // namespace eventspace
