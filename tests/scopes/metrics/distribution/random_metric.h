#pragma once

#include <fmt/format.h>

#include <cstdint>
#include <random>
#include <string>

namespace eventspace::test {

/// Writes random valid metrics. They use the probes `begin` and `end(.., Value)`, and sends.
class RandomMetric {
 public:
  explicit RandomMetric(std::uint64_t seed) : random_(seed) {}

  /// From now on, values do not depend on the durations of sends, which are too short to be the same by two
  /// clocks.
  RandomMetric& exact() {
    is_exact_ = true;
    return *this;
  }

  /// A metric `M`.
  std::string text() {
    switch (below(4)) {
      case 0:
        return metric("Process one, TimeInterval t", expression([this] { return of_one("one"); }, 2));
      case 1:
        return metric("Process[] procs, TimeInterval t", expression([this] { return of_all(); }, 2));
      case 2:
        return metric("Process one, VirtualTime step", stream("one", "step"));
      default:
        return metric("Process[] procs, VirtualTime step", over_processes(stream("p", "step"), "p"));
    }
  }

 private:
  std::uint32_t below(std::uint32_t end) { return static_cast<std::uint32_t>(random_() % end); }
  std::string pick(std::initializer_list<const char*> words) {
    return *(words.begin() + below(static_cast<std::uint32_t>(words.size())));
  }

  static std::string metric(const std::string& parameters, const std::string& result) {
    return fmt::format(
        "M({}) {{ PROBE begin(Process, VirtualTime); PROBE end(Process, VirtualTime, Value); Process p; "
        "VirtualTime vt; Value given; RETURN {}; }}",
        parameters, result);
  }

  /// Arithmetic over `leaf`, which is a plain number.
  template <class Leaf>
  std::string expression(const Leaf& leaf, int depth) {
    if (depth == 0 || below(3) == 0) return below(6) == 0 ? fmt::format("{}", 1 + below(9)) : leaf();
    const std::string left = expression(leaf, depth - 1);
    const std::string right = expression(leaf, depth - 1);
    if (below(5) == 0) return fmt::format("{}({}, {})", pick({"MAX", "MIN", "SUM", "MEAN"}), left, right);
    return fmt::format("({} {} {})", left, pick({"+", "-", "*", "/"}), right);
  }

  /// A count of an object, without a unit.
  std::string counted(const std::string& object, const std::string& interval) {
    const std::string metric =
        is_exact_ ? pick({"Send_count", "Send_volume"}) : pick({"Send_count", "Send_volume", "Send_delay"});
    const char* const unit = metric == "Send_volume" ? " / 1B" : metric == "Send_delay" ? " / 1ms" : "";
    return fmt::format("({}({}, {}){})", metric, object, interval, unit);
  }

  std::string sample(const std::string& object, const std::string& step) {
    const std::string at = below(2) == 0 ? fmt::format("begin({}, {})", object, step)
                                         : fmt::format("end({}, {}, given)", object, step);
    if (at.starts_with("end") && below(3) == 0) return fmt::format("(given AT {})", at);
    if (below(4) == 0) return fmt::format("({} AT {})", 1 + below(5), at);
    return fmt::format("({} AT {})", counted(object, "[START, NOW]"), at);
  }

  /// A value for each virtual time.
  std::string stream(const std::string& object, const std::string& vt) {
    const std::string now = sample(object, vt);
    switch (below(4)) {
      case 0:
        return now;
      case 1:
        return fmt::format("((Time(NOW) AT end({0}, {1}, given) - Time(NOW) AT begin({0}, {1})) / 1ms)",
                           object, vt);
      case 2:
        return fmt::format("({} - {})", now, sample(object, vt + " - 1"));
      default:
        return fmt::format("({} {} {})", now, pick({"+", "-", "*", "/"}), sample(object, vt));
    }
  }

  std::string aggregate() { return pick({"SUM", "MIN", "MAX", "MEAN", "STDEV", "COUNT", "PERCENTILE"}); }
  std::string over(const std::string& variables, const std::string& value, const std::string& condition) {
    const std::string name = aggregate();
    return fmt::format("{}{}({}{}{})", name, variables, value, name == "PERCENTILE" ? ", 75" : "", condition);
  }

  std::string over_steps(const std::string& object) {
    const std::string value = stream(object, "vt");
    return over("[vt]", value, below(2) == 0 ? "" : fmt::format(" WHERE ({}).time IN t", value));
  }
  std::string over_processes(const std::string& value, const std::string& object) {
    const std::string condition = below(3) == 0 ? fmt::format(" WHERE {0} IN procs AND {0}.rank < 3", object)
                                                : fmt::format(" WHERE {} IN procs", object);
    return over(fmt::format("[{}]", object), value, condition);
  }

  std::string of_one(const std::string& object) {
    return below(2) == 0 ? counted(object, "t") : over_steps(object);
  }
  std::string of_all() {
    switch (below(4)) {
      case 0:
        return counted("procs", "t");
      case 1:
        return over_processes(of_one("p"), "p");
      case 2:
        return over("[vt]", over_processes(stream("p", "vt"), "p"), "");
      default:
        return over("[p][vt]", stream("p", "vt"), " WHERE p IN procs");
    }
  }

  std::mt19937_64 random_;
  bool is_exact_{false};
};

}  // namespace eventspace::test
