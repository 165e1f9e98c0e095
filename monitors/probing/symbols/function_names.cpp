#include "monitors/probing/symbols/function_names.h"

#include <fmt/format.h>

#include <algorithm>

#include <eventspace/error.h>
#include "monitors/text/demangled.h"
#include "paths/parameters/glob.h"

namespace eventspace {
namespace {

/// "solve" of "solve(int, double)", and "ns::f" of "ns::f<int>(int) const".
std::string without_parameters(const std::string& name) {
  const std::size_t from = name.starts_with("(anonymous namespace)") ? 1 : 0;
  std::size_t end = name.find('(', from);
  if (const auto call = name.find("operator()"); call != std::string::npos && call + 8 == end)
    end = name.find('(', end + 1);
  return name.substr(0, end);
}

}  // namespace

std::string_view cut_for_glob(const std::string& name) {
  return std::string_view(name).substr(0, glob_longest);
}

bool name_matches(const std::string& pattern, const Function& function) {
  if (pattern.empty()) return true;
  if (pattern.starts_with('=')) {
    const std::string_view name = std::string_view(pattern).substr(1);
    return function.name == name || demangled(function.name) == name;
  }
  const auto does_match = [&](const std::string& name) {
    if (glob_match(pattern, cut_for_glob(name))) return true;
    const std::string readable = demangled(name);
    if (readable == name) return false;
    return glob_match(pattern, cut_for_glob(readable)) ||
           glob_match(pattern, cut_for_glob(without_parameters(readable)));
  };
  return does_match(function.name) || std::ranges::any_of(function.aliases, does_match);
}

void require_function_pattern(const std::string& pattern) {
  if (!pattern.starts_with('=')) require_glob("the pattern", pattern);
}

void require_glob(const std::string& what, const std::string& pattern) {
  const auto fault = pattern.empty() ? std::string_view() : glob_fault(pattern);
  if (!fault.empty()) throw ConfigurationError(fmt::format("{} '{}' {}", what, pattern, fault));
}

}  // namespace eventspace
