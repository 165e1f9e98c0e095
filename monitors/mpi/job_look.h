#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <tuple>
#include <vector>

#include "collectors/mpi/mpi_record.h"
#include "paths/views/rank_set.h"

namespace eventspace {

/// A collective operation of an MPI job. Operations that are counted on their communicator have `function` 0,
/// so processes that call different functions there are in the same operation. Functions that make or free
/// communicators, and MPI_Finalize, are numbered separately, by the calls of that function.
struct JobOperation {
  std::uint32_t communicator{MpiCallRecord::no_communicator};
  std::uint16_t function{0};  ///< its number in mpi_calls.h, or 0
  std::uint32_t number{0};    ///< from 1; 0 if not known
  friend auto operator<=>(const JobOperation&, const JobOperation&) = default;  // NOLINT
};

/// One condition of a call's wait: a message, a collective operation, or another process's part of one-sided
/// communication.
struct AwaitedPart {
  enum class What : std::uint8_t {
    send,
    receive,
    collective,
    window,  ///< `partner` must post or complete an epoch, or take part in an access to its window
    lock     ///< `partner` must end its epoch with a locked window
  };
  What what{What::receive};
  std::uint32_t communicator{MpiCallRecord::no_communicator};
  std::optional<std::uint32_t> partner{};  ///< rank in MPI_COMM_WORLD; nullopt means any process
  std::optional<std::uint32_t> tag{};      ///< nullopt means any
  std::uint64_t bytes{0};
  JobOperation operation{};  ///< for `collective`
  friend bool operator==(const AwaitedPart&, const AwaitedPart&) = default;
};

/// The facts about a call of MPI that a verdict needs.
struct JobCall {
  std::uint16_t function{0};  ///< its number in mpi_calls.h
  MpiClass of{MpiClass::manage};
  std::uint32_t communicator{MpiCallRecord::no_communicator};
  std::uint32_t ordinal{0};             ///< of a collective operation
  std::optional<std::uint32_t> root{};  ///< of a collective operation; rank in the communicator
  std::uint64_t bytes{0};
  std::uint32_t site{0};                 ///< where the program calls it; 0 if not known
  std::chrono::nanoseconds age{0};       ///< since it began; for an ended call, since it ended
  std::chrono::nanoseconds duration{0};  ///< of an ended call
  std::vector<AwaitedPart> awaits{};     ///< empty if it does not wait, or for something unknown
  bool is_exclusive{false};              ///< of MPI_Win_lock
  bool needs_any{false};                 ///< one part of `awaits` is enough
  /// A series of unsuccessful polls for `awaits` instead of a single call; `function` is the function of one
  /// poll.
  bool is_poll{false};
  /// It waits on a communicator that may have members outside the job (MpiCallRecord::other_communicator),
  /// for something that is not in `awaits`.
  bool crosses{false};
};

/// A series of unsuccessful polls of one thread (collectors/looks.h) that has not ended.
struct JobPoll {
  std::chrono::nanoseconds age{0};  ///< since its first call began
  bool is_always{false};            ///< the thread does little else
};

/// The state of a process apart from its calls. `computing` and `sleeping` are outside calls.
enum class JobProcess : std::uint8_t {
  computing,
  sleeping,
  hidden,   ///< in another PID namespace, so whether it computes, sleeps or is stopped is unknown
  stopped,  ///< by a signal
  dead,     ///< gone without an orderly end
  ended,
  unseen  ///< no view has reported it
};

/// A thread of a rank that calls MPI.
struct JobThread {
  std::uint32_t thread{0};  ///< number in records
  std::optional<JobCall> in_flight{};
  std::optional<JobCall> last{};
  std::optional<JobPoll> polls{};  ///< if its newest event belongs to a series of polls
  bool uses_processor{false};
  bool lacks_processor{false};  ///< it has hardly run since its call in flight was first seen
};

struct JobRank {
  JobProcess process{JobProcess::unseen};
  std::vector<JobThread> threads{};
};

/// The state of all ranks of an MPI job at one moment, and their known past. Plain data.
struct JobLook {
  bool is_spawned{false};  ///< MPI_Comm_spawn has started the job
  /// There are or were other jobs, for which this job may wait in MPI_Finalize.
  bool has_others{false};
  std::vector<JobRank> ranks;                ///< by rank in MPI_COMM_WORLD
  std::map<std::uint32_t, RankSet> members;  ///< by communicator; ranks in MPI_COMM_WORLD
  /// The minimum number of operations that a rank has begun, by rank, communicator and function (as in
  /// JobOperation).
  std::map<std::tuple<std::uint32_t, std::uint32_t, std::uint16_t>, std::uint32_t> begun;
  /// The known calls of operations that ranks have begun and perhaps left.
  std::map<JobOperation, std::map<std::uint32_t, JobCall>> calls;
  /// Messages that were sent and not received, by sender and receiver; only if all calls of both are known.
  struct Lost {
    std::uint32_t communicator{0};
    std::uint32_t tag{0};
    std::uint64_t bytes{0};
  };
  std::map<std::pair<std::uint32_t, std::uint32_t>, std::vector<Lost>> unreceived;
};

}  // namespace eventspace
