#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <utility>
#include <vector>

#include "monitors/whatif/actions/action.h"

namespace eventspace::whatif {

/// The history of a simulation, for analyses of the whole run. Memory is proportional to the waits and to the
/// pairs of tasks that communicate. Plain data, filled by the simulation.
struct SimulationTrace {
  /// A task's wait for a message, or until its own message had left.
  struct Wait {
    Picoseconds until{0};
    Picoseconds since{0};      ///< the later begin of the two parts that it waited for
    std::uint32_t cause{0};    ///< the task with that later part: the partner, or itself
    std::uint32_t partner{0};  ///< the other end of the message
    bool receives{false};
  };
  /// Details of a wait. `own_began`: 0 if the message did not depend on the waiting task.
  struct Awaited {
    std::uint32_t partner{0};
    Picoseconds partner_began{0};
    Picoseconds own_began{0};
    bool receives{false};
  };
  /// The messages from one task to another.
  struct Flow {
    std::uint64_t messages{0};
    std::uint64_t bytes{0};
  };
  /// Messages in equal time spans from 0. The span doubles when there would be more than `max_spans`.
  class Course {
   public:
    static constexpr std::size_t max_spans = 200;
    Course() = default;
    Course(Picoseconds span, std::vector<Flow> spans) : span_(span), spans_(std::move(spans)) {}
    void add(Picoseconds at, std::uint64_t bytes);
    [[nodiscard]] Picoseconds span() const noexcept { return span_; }
    [[nodiscard]] const std::vector<Flow>& spans() const noexcept { return spans_; }

   private:
    Picoseconds span_{1'000'000};  // a microsecond
    std::vector<Flow> spans_;
  };

  /// Begin and end of each action, by task; empty unless requested.
  std::vector<std::vector<std::pair<Picoseconds, Picoseconds>>> times{};
  std::vector<std::vector<Wait>> waits{};                           ///< by task, in the order of their ends
  std::map<std::pair<std::uint32_t, std::uint32_t>, Flow> flows{};  ///< by sender and receiver
  Course course{};                                                  ///< by when they were sent

  void waited(std::uint32_t task, Picoseconds until, const Awaited& what);
  void sent(std::uint32_t from, std::uint32_t to, std::uint64_t bytes, Picoseconds at);
};

/// The chain of work and messages that determined the execution time: shortening any part would have
/// shortened the program. The parts add up to the execution time.
struct CriticalPath {
  struct Link {
    std::uint32_t from{0}, to{0};
    Picoseconds time{0};
    std::uint64_t messages{0};
  };
  std::vector<Picoseconds> tasks{};  ///< by task: its own work
  std::vector<Link> links{};         ///< the longest first
};

/// `ends`: execution times, by task. Pure.
CriticalPath critical_path(const SimulationTrace& trace, const std::vector<Picoseconds>& ends);

}  // namespace eventspace::whatif
