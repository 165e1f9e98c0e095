#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>

namespace eventspace::web {

/// Switches what processes record. Each member that is not empty narrows the choice; `path` and `thread` are
/// exact names, `process` and `node` are globs.
struct CollectingWish {
  std::string setting{};  ///< "on", "off" or "1/N"
  std::string path{}, thread{}, process{}, node{}, kind{}, event_class{};
};

/// Sets the time between two pulls of the page's sampler.
struct IntervalWish {
  double seconds{0};
};

/// Begins a trial of a variant of a scope tree; ends the trial under way if `scope` is empty.
struct TrialWish {
  std::string scope{};
  std::size_t variant{0};        ///< 0 is the scope itself
  std::optional<double> rate{};  ///< pulls per second; nullopt: as fast as possible
};

/// An order of an owner's page.
struct SteeringOrder {
  std::uint64_t version{0};  ///< of the state from which the page made the order
  std::string page{};        ///< the page's name for itself, by which it recognises its own changes
  std::variant<CollectingWish, IntervalWish, TrialWish> wish;
};

inline constexpr double max_interval_s = 9e9;  ///< as for `--interval`
inline constexpr double min_trial_rate = 0.1;
inline constexpr double max_trial_rate = 1e6;

/// Whether there is a steering order with this name: "collecting", "interval" or "scope".
bool is_steering_order(std::string_view name) noexcept;

/// Returns the order `name` with the JSON object `body`. Throws ConfigurationError, with the value and the
/// allowed ones, if a member is unknown, missing, or not valid. Lacks the session, so names are
/// not checked. Pure. Requires is_steering_order(name).
SteeringOrder steering_order(std::string_view name, const std::string& body);

}  // namespace eventspace::web
