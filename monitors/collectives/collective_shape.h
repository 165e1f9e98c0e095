#pragma once

// Private to monitors/.

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "collectors/event_record.h"
#include "monitors/watching/moment.h"
#include "paths/views/view.h"

namespace eventspace {

/// The tree of one collective operation: threads have edges into joints, and each joint but the root has one
/// (its uplink) into the joint above. As it is needed to understand its records, apart from how it is written
/// in a pathmap. Plain data.
struct CollectiveShape {
  struct Joint {
    std::string name;
    std::string node;                     ///< where it is
    std::vector<std::size_t> edges{};     ///< into it
    std::optional<std::size_t> uplink{};  ///< nothing: the root
  };
  struct Edge {
    std::string name;                    ///< of the thread, or of the joint below
    std::string node;                    ///< where that is
    std::size_t joint{0};                ///< into which it leads
    std::optional<std::size_t> below{};  ///< the joint whose uplink it is; nothing: it is a thread's
    bool at_thread{true};                ///< whether there are records of its lower end...
    bool at_joint{true};                 ///< ...and of its upper end
    [[nodiscard]] bool is_thread() const noexcept { return !below; }
  };

  /// What lies within one process, so that a CollectivePart may stand for the records of both ends.
  struct Within {
    std::uint32_t process{0};
    std::vector<std::size_t> edges;
    std::size_t threads{0};  ///< so many of these are threads'
  };

  std::string name;
  std::vector<Joint> joints;  ///< the root first
  std::vector<Edge> edges;
  std::unordered_map<std::uint32_t, std::size_t> edge_of_path{};  ///< by the number of its path in the plan
  std::unordered_map<std::uint32_t, std::size_t> joint_of_number{};  ///< by its number in the plan
  std::vector<Within> within{};
  std::vector<std::uint32_t> node_of_process{};  ///< numbers; servers are processes as well

  [[nodiscard]] std::optional<std::uint32_t> node_of(const ProcessReport& process) const {
    if (process.process >= node_of_process.size()) return std::nullopt;
    return node_of_process[process.process];
  }
};

/// Which end of an edge a record is of.
enum class EdgeEnd : std::uint8_t {
  lower = 0,  ///< start: the contribution set out; end: the result is here
  upper = 1   ///< start: the contribution has arrived at the joint; end: the result sets out
};

/// What is known of one operation at one end of an edge.
struct EdgeRecord {
  std::size_t edge{0};
  EdgeEnd at{EdgeEnd::lower};
  std::uint64_t operation{0};  ///< its number
  Moment start;
  std::optional<Moment> end;  ///< nothing: it is under way
  bool failed{false};         ///< it ended without the result: the collective is broken, or its time was up
};

/// What the threads of one process did in an operation, in place of their records.
struct ProcessPart {
  struct Came {
    std::size_t edge{0};
    Moment at{};
  };
  std::size_t within{0};  ///< in CollectiveShape::within
  std::uint64_t operation{0};
  Came first, second, last;  ///< the same one when there is only one
  Difference waited;         ///< all of them together, until the last of them came
};

/// `part` as that; nothing when it is of something else.
[[nodiscard]] std::optional<ProcessPart> process_part(const CollectiveShape& shape,
                                                      const CollectivePart& part,
                                                      const ProcessReport& process);

/// `record` as one of this collective operation's; nothing when it is of something else. `process` recorded
/// it, and the moments are on the clock of whoever holds the view that reports it.
[[nodiscard]] std::optional<EdgeRecord> edge_record(const CollectiveShape& shape, const EventRecord& record,
                                                    const ProcessReport& process);

}  // namespace eventspace
