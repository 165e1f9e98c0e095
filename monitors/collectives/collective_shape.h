#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "collectors/event_record.h"
#include "monitors/moments/moment.h"
#include "paths/views/view.h"

namespace eventspace {

/// The tree of one collective: each thread has an edge into a joint, and each joint except the root has an
/// edge (its uplink) into the joint above. Holds the data for interpreting the records, independent of how
/// the pathmap describes the tree. Plain data.
struct CollectiveShape {
  struct Joint {
    std::string name;
    std::string node;                     ///< on which it lies
    std::vector<std::size_t> edges{};     ///< that lead into it
    std::optional<std::size_t> uplink{};  ///< nullopt for the root
  };
  struct Edge {
    std::string name;                    ///< of the thread or joint at its lower end
    std::string node;                    ///< of the lower end
    std::size_t joint{0};                ///< at its upper end
    std::optional<std::size_t> below{};  ///< the joint whose uplink it is; nullopt: a thread's edge
    bool at_thread{true};                ///< whether there are records of its lower end...
    bool at_joint{true};                 ///< ...and of its upper end
    [[nodiscard]] bool is_thread() const noexcept { return !below; }
  };

  /// Edges that lie within one process, so that a CollectivePart can stand for the records of both their
  /// ends.
  struct Within {
    std::uint32_t process{0};
    std::vector<std::size_t> edges;
    std::size_t threads{0};  ///< the number of edges of threads among them
  };

  std::string name;
  std::string operation{};    ///< of all its operations, such as "all-reduce"; empty if they differ
  std::vector<Joint> joints;  ///< the root first
  std::vector<Edge> edges;
  std::unordered_map<std::uint32_t, std::size_t> edge_of_path{};  ///< by the number of its path in the plan
  std::unordered_map<std::uint32_t, std::size_t> joint_of_number{};  ///< by its number in the plan
  std::vector<Within> within{};
  std::vector<std::uint32_t> node_of_process{};  ///< node numbers; servers are processes too
  /// Whether a participant may leave an operation before all have come, so that it waits at most for the
  /// duration of its own record.
  bool can_leave_early{false};

  [[nodiscard]] std::optional<std::uint32_t> node_of(const ProcessReport& process) const {
    if (process.process >= node_of_process.size()) return std::nullopt;
    return node_of_process[process.process];
  }
};

/// The end of an edge where a record was made.
enum class EdgeEnd : std::uint8_t {
  lower = 0,  ///< start: the contribution leaves; end: the result has arrived
  upper = 1   ///< start: the contribution has arrived at the joint; end: the result leaves
};

/// The record of one operation at one end of an edge.
struct EdgeRecord {
  std::size_t edge{0};
  EdgeEnd at{EdgeEnd::lower};
  std::uint64_t operation{0};  ///< the number of the operation
  Moment start;
  std::optional<Moment> end;  ///< nullopt while it is under way
  bool failed{false};  ///< it ended without the result: the collective was broken, or the deadline had passed
};

/// A summary of one operation in one process, in place of the records of its threads.
struct ProcessPart {
  struct Came {
    std::size_t edge{0};
    Moment at{};
  };
  std::size_t within{0};  ///< in CollectiveShape::within
  std::uint64_t operation{0};
  Came first, second, last;  ///< equal when there is only one thread
  Difference waited;         ///< the sum over the threads of the time until the last of them came
};

/// Converts `part`; nullopt when it belongs to another collective or is not in `shape`.
[[nodiscard]] std::optional<ProcessPart> process_part(const CollectiveShape& shape,
                                                      const CollectivePart& part,
                                                      const ProcessReport& process);

/// Converts `record`, which `process` made; nullopt if it does not belong to an edge of the tree. The moments
/// are on the clock of the process that holds the view with the report of `process`.
[[nodiscard]] std::optional<EdgeRecord> edge_record(const CollectiveShape& shape, const EventRecord& record,
                                                    const ProcessReport& process);

}  // namespace eventspace
