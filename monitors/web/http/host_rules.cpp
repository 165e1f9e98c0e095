#include "monitors/web/http/host_rules.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

namespace eventspace::web {
namespace {

constexpr std::array<std::string_view, 3> loopback_names{"127.0.0.1", "localhost", "[::1]"};

std::string lower_case(std::string_view text) {
  std::string lower(text);
  for (char& letter : lower)
    if (letter >= 'A' && letter <= 'Z') letter = static_cast<char>(letter - 'A' + 'a');
  return lower;
}

bool is_digits(std::string_view text) {
  return std::ranges::all_of(text, [](char letter) { return letter >= '0' && letter <= '9'; });
}

bool is_loopback_with_any_port(std::string_view host) {
  return std::ranges::any_of(loopback_names, [&](std::string_view name) {
    if (!host.starts_with(name)) return false;
    const std::string_view rest = host.substr(name.size());
    constexpr std::size_t longest_port = 6;  // ":65535"
    return rest.empty() || (rest.front() == ':' && rest.size() <= longest_port && is_digits(rest.substr(1)));
  });
}

// An IPv6 address has colons as well.
bool has_port(std::string_view name) {
  const auto colon = name.rfind(':');
  return colon != std::string_view::npos && (name.find(':') == colon || name[colon - 1] == ']');
}

std::string bracketed(std::string_view name) {
  const bool is_bare_ipv6 = name.find(':') != std::string_view::npos && name.front() != '[';
  return is_bare_ipv6 ? fmt::format("[{}]", name) : std::string(name);
}

}  // namespace

HostRules::HostRules(std::uint16_t port, const std::vector<std::string>& names) : port_(port) {
  const auto add = [this](const std::string& name) {
    hosts_.insert(fmt::format("{}:{}", name, port_));
    constexpr std::uint16_t default_port = 80;  // browsers leave it out
    if (port_ == default_port) hosts_.insert(name);
  };
  for (const std::string_view name : loopback_names) add(std::string(name));
  for (const std::string& given : names) {
    const std::string name = lower_case(given);
    if (name.empty()) continue;
    if (has_port(name)) {
      hosts_.insert(name);
    } else {
      add(bracketed(name));
    }
  }
}

bool HostRules::allow(std::string_view host) const {
  const std::string lower = lower_case(host);
  return port_ == 0 ? is_loopback_with_any_port(lower) : hosts_.contains(lower);
}

std::string HostRules::example() const {
  return port_ == 0 ? "localhost" : fmt::format("127.0.0.1:{}", port_);
}

bool is_own_origin(std::string_view origin, std::string_view host) {
  constexpr std::string_view scheme = "http://";
  return lower_case(origin) == std::string(scheme) + lower_case(host);
}

}  // namespace eventspace::web
