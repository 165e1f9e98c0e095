#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "scopes/metrics/language/unit.h"

namespace eventspace::metrics {

/// The kind of value of an expression of a metric.
enum class Base : std::uint8_t {
  value,  ///< a number with a unit
  boolean,
  text,
  process,
  thread,
  node,
  site,
  region,        ///< a region of the program (EVENTSPACE_REGION)
  virtual_time,  ///< the number that the application gives to a step
  time_point,
  time_interval
};

/// The type of an expression, variable or parameter: its base, and how often it is indexed. Plain data.
struct MetricType {
  Base base{Base::value};
  std::uint8_t dimensions{0};
  Unit unit{};  ///< of a value

  [[nodiscard]] bool is(Base wanted) const noexcept { return base == wanted && dimensions == 0; }
  [[nodiscard]] MetricType element() const noexcept {
    return {base, static_cast<std::uint8_t>(dimensions - 1), unit};
  }
};

/// Whether values of this base are observed objects: processes, threads, nodes, sites.
bool is_object(Base base) noexcept;
/// Whether a metric can be limited to values of this base: objects, and regions.
bool is_object_or_region(Base base) noexcept;
/// Whether the base is a time at which a metric is taken: a virtual time, a point of time or an interval.
bool is_time(Base base) noexcept;

/// Returns the base with the given type name, as written in metrics: Value, Process, VirtualTime ...; nothing
/// for another word.
std::optional<Base> base_named(std::string_view name) noexcept;
/// Returns the type as written in metrics: "Process[]", "TimeInterval". Requires a type that can be written.
std::string written(const MetricType& type);
/// The names of all types that can be written.
extern const std::array<std::string_view, 9> type_names;

/// Returns a text for messages, with an article: "a process", "several processes", "a value in B/s".
std::string described(const MetricType& type);

}  // namespace eventspace::metrics
