#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include <eventspace/operation.h>
#include "monitors/heartbeat/verdict.h"
#include "pathmaps/plan/plan.h"
#include "paths/views/view.h"

namespace eventspace {

struct ThreadHealth;

/// The number of tuples that an element keeps, and its capacity.
struct ElementFill {
  std::uint64_t kept{0};
  std::uint64_t capacity{0};
  friend bool operator==(const ElementFill&, const ElementFill&) = default;
};

/// A thread with a path to an element.
struct ElementUser {
  std::uint32_t thread{0};
  std::optional<Verdict> verdict{};  ///< nullopt if the scope does not read the thread
  std::optional<Verb> last{};  ///< its newest operation on the element, begun or ended, if the view has it
};

/// The threads that are stuck in operations on one element of the plan and wait there for the same thing.
struct ElementWait {
  enum class For : std::uint8_t {
    tuple,  ///< in a read or take: for a write
    room    ///< in a write: for a take
  };
  ElementIndex element;
  For what{For::tuple};
  std::vector<std::uint32_t> waiting;  ///< ascending
  std::vector<Verb> verbs;             ///< verbs of their operations, each once
  std::vector<ElementUser> could_end;  ///< threads that could end the wait, ascending; see find_element_waits
  std::optional<ElementFill> fill{};   ///< if known

  /// Whether all threads that could end the wait are gone, so it will never end. False if there never was
  /// such a thread.
  [[nodiscard]] bool are_all_gone() const noexcept;
};

/// Finds the waits of the threads that are stuck in operations on elements; pure. `threads` is
/// HealthReport::threads, judged from `newest`, a view of the newest events.
///
/// Threads that the pathmap lets read the element, or use it in any way (PathUse), can end a wait for room;
/// threads that it lets write can end a wait for a tuple. The uses in the pathmap are not enforced: if no
/// other thread has such a use, all other users of the element count.
///
/// The fill is known here only for an element that is certainly full: an element in the stuck writer's own
/// process, where a write waits only for room.
std::vector<ElementWait> find_element_waits(const Plan& plan, const View& newest,
                                            const std::vector<ThreadHealth>& threads);

}  // namespace eventspace
