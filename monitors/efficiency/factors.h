#pragma once

#include <cstdint>
#include <string_view>
#include <variant>
#include <vector>

/// The efficiencies of a parallel program as the Performance Optimisation and Productivity centre of
/// excellence (POP) defines them, in the multiplicative form. For an interval of length T and execution units
/// with the useful times U, which they spend outside of communication,
///
///     parallel efficiency          mean(U) / T       = load balance * communication efficiency
///     load balance                 mean(U) / max(U)
///     communication efficiency     max(U) / T        = serialisation * transfer
///     serialisation                max(U) / T_ideal
///     transfer                     T_ideal / T
///
/// where T_ideal is the time that the interval would take on an ideal network, with no latency and infinite
/// bandwidth, and no work of the message library.
namespace eventspace::efficiency {

/// A value that is known to lie between two bounds.
struct Range {
  double least{0};
  double most{0};
  /// Whether the bounds are equal for all purposes: they differ by less than a thousandth.
  [[nodiscard]] bool is_exact() const noexcept { return most - least < 1e-3; }
  [[nodiscard]] double middle() const noexcept { return (least + most) / 2; }
  friend bool operator==(const Range&, const Range&) = default;
};

/// The times of one interval, in nanoseconds. The interval may be the whole run, the passages of a region, an
/// iteration, or a second.
struct IntervalTimes {
  double length{0};              ///< T
  std::vector<double> useful{};  ///< U, by unit
  Range ideal{};  ///< T_ideal, as far as it is known; bounds outside of max(U) to T do not count
};

struct Factors {
  double parallel{0};
  double load_balance{0};
  double communication{0};
  Range serialisation{};
  Range transfer{};
};

/// Why an interval has no efficiencies.
enum class NoFactors : std::uint8_t {
  no_units,   ///< no execution unit took part
  no_length,  ///< the interval takes no time
  no_useful   ///< no unit computed
};
std::string_view to_string(NoFactors reason) noexcept;

/// A useful time above T, as from rounding, counts as T. Pure.
std::variant<Factors, NoFactors> factors_of(const IntervalTimes& times);

}  // namespace eventspace::efficiency
