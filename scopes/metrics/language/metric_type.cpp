#include "scopes/metrics/language/metric_type.h"

#include <fmt/format.h>

#include <algorithm>

namespace eventspace::metrics {
namespace {

struct Words {
  std::string_view type;  // as written in metrics; empty if it cannot be
  std::string_view one;
  std::string_view several;
};

// In the order of Base.
constexpr std::array<Words, 11> words{{{"Value", "a value", "several values"},
                                       {"", "true or false", "several truth values"},
                                       {"", "a text", "several texts"},
                                       {"Process", "a process", "several processes"},
                                       {"Thread", "a thread", "several threads"},
                                       {"Node", "a node", "several nodes"},
                                       {"Site", "a site", "several sites"},
                                       {"Region", "a region", "several regions"},
                                       {"VirtualTime", "a virtual time", "several virtual times"},
                                       {"TimePoint", "a point of time", "several points of time"},
                                       {"TimeInterval", "an interval of time", "several intervals of time"}}};
static_assert(words.size() == static_cast<std::size_t>(Base::time_interval) + 1);

}  // namespace

const std::array<std::string_view, 9> type_names{"Value",  "Process",     "Thread",    "Node",        "Site",
                                                 "Region", "VirtualTime", "TimePoint", "TimeInterval"};

bool is_object(Base base) noexcept { return base >= Base::process && base <= Base::site; }

bool is_object_or_region(Base base) noexcept { return is_object(base) || base == Base::region; }

bool is_time(Base base) noexcept { return base >= Base::virtual_time; }

std::optional<Base> base_named(std::string_view name) noexcept {
  if (name.empty()) return std::nullopt;
  const auto* const found = std::ranges::find(words, name, &Words::type);
  if (found == words.end()) return std::nullopt;
  return static_cast<Base>(found - words.begin());
}

std::string written(const MetricType& type) {
  std::string text(words[static_cast<std::size_t>(type.base)].type);
  for (int i = 0; i < type.dimensions; ++i) text += "[]";
  return text;
}

std::string described(const MetricType& type) {
  const Words& word = words[static_cast<std::size_t>(type.base)];
  if (type.base != Base::value || type.unit == no_unit)
    return std::string(type.dimensions == 0 ? word.one : word.several);
  return fmt::format("{} in {}", type.dimensions == 0 ? word.one : word.several, to_string(type.unit));
}

}  // namespace eventspace::metrics
