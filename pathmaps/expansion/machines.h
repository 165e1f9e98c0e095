#pragma once

#include <string_view>

namespace eventspace::expansion {

/// Returns whether `host` is a name or an address by which a machine calls itself.
bool is_loopback(std::string_view host) noexcept;

/// Returns whether nodes with these hosts are on one machine, as far as a pathmap shows: the same name, or
/// both loopback.
bool is_one_machine(std::string_view host, std::string_view other) noexcept;

}  // namespace eventspace::expansion
