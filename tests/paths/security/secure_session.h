#pragma once

#include <memory>
#include <string>
#include <utility>

#include "paths/links/link.h"
#include "paths/security/key_file.h"
#include "tests/paths/server_talk.h"

namespace eventspace::test {

/// The keys of one session, as several processes of it have them.
struct KeysOfSession {
  CurveKeys listening{make_curve_keys()};
  CurveKeys connecting{make_curve_keys()};
  CurveKeys observing{make_curve_keys()};

  [[nodiscard]] std::shared_ptr<const SessionSecurity> of(const CurveKeys& own) const {
    return std::make_shared<const SessionSecurity>(
        SessionSecurity{copy_of(listening),
                        listening.open,
                        copy_of(own),
                        {{connecting.open, Role::owner}, {observing.open, Role::observer}},
                        "the keys of the test",
                        {},
                        {}});
  }
  [[nodiscard]] std::shared_ptr<const SessionSecurity> of_owner() const { return of(connecting); }
};

/// A server with the element "channel", and as the second kind "seen", which observers may open.
class SecureServer {
 public:
  explicit SecureServer(std::shared_ptr<const SessionSecurity> security)
      : network_({}, WhenLost::reconnect, NodeClock(), {}, std::move(security)),
        server_(
            network_,
            {endpoint_, "test", "test", 1, {{"element", kind()}, {"seen", kind()}}, {}, nullptr, {"seen"}}) {
    server_.start();
  }
  [[nodiscard]] const std::string& endpoint() const { return endpoint_; }
  [[nodiscard]] std::uint16_t port() const { return port_; }
  [[nodiscard]] Element& element() { return element_; }
  [[nodiscard]] wire::ServerReport report() const { return server_.report(); }

 private:
  std::shared_ptr<const TargetKind> kind() {
    return element_kind([this](Bytes, LinkPool&) { return std::make_unique<ElementStage>(element_); });
  }

  const std::uint16_t port_{free_port()};
  const std::string endpoint_{local_endpoint(port_)};
  Element element_{{.name = "channel", .signature = {FieldType::integer}, .threshold = 9}};
  Network network_;
  Server server_;
};

/// A process with these keys, or without, that uses the element of the server.
struct Peer {
  Peer(const std::string& endpoint, std::shared_ptr<const SessionSecurity> security,
       const std::string& kind = "element")
      : network({}, WhenLost::reconnect, NodeClock(), {}, std::move(security)),
        path("channel",
             std::make_unique<RemoteStage>(links, RemoteTarget{endpoint, {kind, {}, {}}, "n", 2s})) {}

  Status write() { return path.write(number(1), Deadline::after(20s)); }
  std::string take() { return told(path.take(From::oldest, Deadline::after(20s))); }

  Network network;
  LinkPool links{network};
  Path path;
};

}  // namespace eventspace::test
