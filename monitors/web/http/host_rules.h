#pragma once

#include <cstdint>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace eventspace::web {

/// The names under which browsers may ask for the server: the field Host of a request. A page of another site
/// whose name resolves to this machine ("DNS rebinding") sends its own name and is refused. Pure.
class HostRules {
 public:
  /// The loopback names with this port, and `names` with it: names and addresses without a port; a name with
  /// a port stands for itself.
  HostRules(std::uint16_t port, const std::vector<std::string>& names);
  /// The loopback names with any port: for a local socket, to which a tunnel leads from any port.
  static HostRules of_socket() { return HostRules(); }

  [[nodiscard]] bool allow(std::string_view host) const;
  /// One of the allowed names, for messages.
  [[nodiscard]] std::string example() const;

 private:
  HostRules() = default;

  std::uint16_t port_{0};  ///< 0: any
  std::set<std::string> hosts_;
};

/// Whether a request with the field Origin comes from a page of the server itself.
bool is_own_origin(std::string_view origin, std::string_view host);

}  // namespace eventspace::web
