#pragma once

#include <compare>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "monitors/profile/bounded_map.h"
#include "scopes/tree/plan_names.h"

namespace eventspace {

/// Sums what processes send to each other: the matrix of senders and receivers, and a histogram of sizes. The
/// caller decides what counts (see JobProfile). Not thread-safe.
class Traffic {
 public:
  enum class Sort : std::uint8_t { message, collective, tuple };
  enum class Parties : std::uint8_t { threads, tasks_of_pvm, ranks };
  /// A sender and a receiver, and the communicator or path between them.
  struct Route {
    Parties of{Parties::threads};
    std::uint32_t from{0};
    std::uint32_t to{0};
    std::uint32_t over{0};
    friend auto operator<=>(const Route&, const Route&) = default;  // NOLINT(modernize-use-nullptr)
  };

  /// `names` must outlive it.
  explicit Traffic(const PlanNames& names) : names_(&names) {}

  void add_message(const Route& route, std::uint64_t bytes);
  void add_size(Sort sort, std::uint64_t bytes);
  /// Names a task of PVM after its thread, from now on.
  void name_task(std::uint32_t task, std::uint32_t thread);

  struct Flow {
    std::string from;
    std::string to;
    std::string over;  ///< a communicator, a path, or "PVM"
    std::uint64_t messages{0};
    std::uint64_t bytes{0};
  };
  [[nodiscard]] std::vector<Flow> flows() const;  ///< the ones with most bytes first

  /// Messages, collective operations or tuples of `least` to `most` bytes.
  struct Size {
    std::string_view what;
    std::uint64_t least{0};
    std::uint64_t most{0};
    std::uint64_t count{0};
    std::uint64_t bytes{0};
  };
  [[nodiscard]] std::vector<Size> sizes() const;

  [[nodiscard]] std::uint64_t left_out() const noexcept { return flows_.left_out() + tasks_.left_out(); }

 private:
  struct Amount {
    std::uint64_t count{0};
    std::uint64_t bytes{0};
  };
  [[nodiscard]] std::string name_of(Parties parties, std::uint32_t end) const;
  [[nodiscard]] std::string_view way_of(const Route& route) const;

  const PlanNames* names_;
  BoundedMap<Route, Amount> flows_;
  BoundedMap<std::uint32_t, std::uint32_t> tasks_;  // the threads of tasks of PVM
  std::map<std::pair<Sort, int>, Amount> sizes_;    // by the bit width of the number of bytes
};

}  // namespace eventspace
