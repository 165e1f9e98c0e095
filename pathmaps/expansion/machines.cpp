#include "pathmaps/expansion/machines.h"

namespace eventspace::expansion {

bool is_loopback(std::string_view host) noexcept {
  return host == "localhost" || host == "::1" || host.starts_with("127.");
}

bool is_one_machine(std::string_view host, std::string_view other) noexcept {
  return host == other || (is_loopback(host) && is_loopback(other));
}

}  // namespace eventspace::expansion
