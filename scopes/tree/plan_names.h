#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "scopes/tree/scope_tree.h"
#include "tuplespace/system/job_member.h"

namespace eventspace {

/// A path into a joint of a collective, by its numbers in the plan.
struct CollectivePath {
  std::uint32_t path{0};
  std::uint32_t collective{0};
  std::uint32_t joint{0};                    ///< the joint to which the path leads
  std::optional<std::uint32_t> uplink_of{};  ///< the joint whose uplink it is; none for a thread's path
};

/// Resolves the numbers in records to names: the plan's names, and names of process-local ids
/// (scopes/tree/local_ids.h) once a view has brought them. A process that has a plan implements it. Records
/// can hold any number, so an unknown number is not an error: its name is "?". Returned names are valid as
/// long as this object. Thread-safe; no function blocks.
class PlanNames {
 public:
  virtual ~PlanNames() = default;
  [[nodiscard]] virtual std::string_view thread_name(std::uint32_t thread) const = 0;
  [[nodiscard]] virtual std::string_view path_name(std::uint32_t path) const = 0;
  [[nodiscard]] virtual std::string_view process_name(std::uint32_t process) const = 0;
  [[nodiscard]] virtual std::string_view node_of_process(std::uint32_t process) const = 0;
  /// The cluster of the process's node; empty if it is in none, or not known.
  [[nodiscard]] virtual std::string_view cluster_of_process(std::uint32_t /*process*/) const { return {}; }
  /// The place in its MPI job of a process that belongs to one; nothing if it does not, or is not known.
  [[nodiscard]] virtual std::optional<JobMember> member_of_process(std::uint32_t /*process*/) const {
    return std::nullopt;
  }
  /// The name of a probe, and the texts of its values, separated by commas; "?" and empty if they are not
  /// known.
  [[nodiscard]] virtual std::string_view probe_name(std::uint32_t /*probe*/) const { return "?"; }
  [[nodiscard]] virtual std::string_view probe_values(std::uint32_t /*probe*/) const { return {}; }
  /// The name of a communicator of an MPI program; "?" if it is not known.
  [[nodiscard]] virtual std::string_view communicator_name(std::uint32_t /*communicator*/) const {
    return "?";
  }
  /// The members of a communicator, as ranks in MPI_COMM_WORLD in the order of their ranks in the
  /// communicator, in the form of RankSet ("0-3,8"). The text ends with "..." if there are too many. An
  /// intercommunicator has two lists, with "|" between them. Empty if they are not known.
  [[nodiscard]] virtual std::string_view communicator_members(std::uint32_t /*communicator*/) const {
    return {};
  }
  /// Which process has called MPI_Comm_spawn to start the job of this number, as the job's processes say it:
  /// "JOB:RANK", the root of that call by its job and its rank in MPI_COMM_WORLD. Empty if they do not say
  /// it.
  [[nodiscard]] virtual std::string_view parent_of_job(std::uint32_t /*job*/) const { return {}; }
  /// The place in a program of this number in the scope (site_in_scope), as its process gave it:
  /// "MODULE+0xOFFSET", where MODULE is the path of a file. Empty if it is not known.
  [[nodiscard]] virtual std::string_view site_name(std::uint32_t /*site*/) const { return {}; }
  /// Keeps names that came with a view, for the functions above, up to its capacity. NameTable describes
  /// numbers with several names.
  virtual void learn(std::span<const OwnName> /*names*/) const {}
  /// The trace element that the event collector at `point` of `path` writes; nothing if the plan does not
  /// have this collector.
  [[nodiscard]] virtual std::optional<SourceRef> source_of(std::uint32_t path, std::uint16_t point) const = 0;
  /// The paths of all collectives.
  [[nodiscard]] virtual std::vector<CollectivePath> collective_paths() const { return {}; }
  /// The same names, for a user that may outlive this object; null if this object lives as long as the
  /// process.
  [[nodiscard]] virtual std::shared_ptr<const PlanNames> shared() const { return nullptr; }
};

}  // namespace eventspace
