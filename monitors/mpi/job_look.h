#pragma once

// Private to monitors/.

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

/// One collective operation of an MPI job. Operations that are counted on their communicator have `function`
/// 0, so that processes that call different functions are found to be in the same one. Functions that make or
/// free communicators, and MPI_Finalize, are not counted: their number is the how-manieth such call it is.
struct JobOperation {
  std::uint32_t communicator{MpiCallRecord::no_communicator};
  std::uint16_t function{0};  ///< its number in mpi_calls.h, or 0
  std::uint32_t number{0};    ///< from 1; 0: not known
  friend auto operator<=>(const JobOperation&, const JobOperation&) = default;  // NOLINT
};

/// What a call waits for: one message, one collective operation, or that a process does its part of
/// one-sided communication.
struct AwaitedPart {
  enum class What : std::uint8_t {
    send,
    receive,
    collective,
    window,  ///< that `partner` posts or completes an epoch, or takes part in what is done to its window
    lock     ///< that `partner` ends its epoch with a locked window
  };
  What what{What::receive};
  std::uint32_t communicator{MpiCallRecord::no_communicator};
  std::optional<std::uint32_t> partner{};  ///< rank in MPI_COMM_WORLD; none: any process
  std::optional<std::uint32_t> tag{};      ///< none: any
  std::uint64_t bytes{0};
  JobOperation operation{};  ///< of a collective one
  friend bool operator==(const AwaitedPart&, const AwaitedPart&) = default;
};

/// A call of MPI, as far as a verdict needs it.
struct JobCall {
  std::uint16_t function{0};  ///< its number in mpi_calls.h
  MpiClass of{MpiClass::manage};
  std::uint32_t communicator{MpiCallRecord::no_communicator};
  std::uint32_t ordinal{0};             ///< of a collective operation
  std::optional<std::uint32_t> root{};  ///< of a collective operation; rank in the communicator
  std::uint64_t bytes{0};
  std::uint32_t site{0};                 ///< where the program calls it; 0: not known
  std::chrono::nanoseconds age{0};       ///< since it began; of an ended one, since it ended
  std::chrono::nanoseconds duration{0};  ///< of an ended one
  std::vector<AwaitedPart> awaits{};     ///< empty: it waits for nothing that is known
  bool is_exclusive{false};              ///< of MPI_Win_lock
  bool needs_any{false};                 ///< one part of `awaits` is enough
  /// No call, but a series of calls that look in vain for what `awaits` says; `function` is that of one.
  bool is_poll{false};
  /// It waits on a communicator that may have members outside the job (MpiCallRecord::other_communicator),
  /// for something that `awaits` does not say.
  bool crosses{false};
};

/// A series of calls of one thread that look for something and find nothing (collectors/looks.h), which goes
/// on.
struct JobPoll {
  std::chrono::nanoseconds age{0};  ///< since its first call began
  bool is_always{false};            ///< the thread does little else
};

/// What a process does, besides its calls. `computing` and `sleeping` are outside calls.
enum class JobProcess : std::uint8_t {
  computing,
  sleeping,
  hidden,   ///< in another PID namespace: whether it computes, sleeps or is stopped is not seen
  stopped,  ///< by a signal
  dead,     ///< gone without having ended
  ended,
  unseen  ///< no view has reported it
};

/// A thread of a rank that calls MPI.
struct JobThread {
  std::uint32_t thread{0};  ///< number in records
  std::optional<JobCall> in_flight{};
  std::optional<JobCall> last{};
  std::optional<JobPoll> polls{};  ///< if its newest event is of such a series
  bool uses_processor{false};
  bool lacks_processor{false};  ///< it has hardly run since the call in flight was first seen
};

struct JobRank {
  JobProcess process{JobProcess::unseen};
  std::vector<JobThread> threads{};
};

/// The state of all ranks of an MPI job at one moment, and what is known of what they did before. Plain data.
struct JobLook {
  bool is_spawned{false};  ///< MPI_Comm_spawn has started the job
  /// There are, or were, other jobs, which this one may wait for in MPI_Finalize.
  bool has_others{false};
  std::vector<JobRank> ranks;                ///< by rank in MPI_COMM_WORLD
  std::map<std::uint32_t, RankSet> members;  ///< of communicators: ranks in MPI_COMM_WORLD
  /// How many operations of `communicator`, `function` (as in JobOperation) a rank has begun, by rank,
  /// communicator and function; at least.
  std::map<std::tuple<std::uint32_t, std::uint32_t, std::uint16_t>, std::uint32_t> begun;
  /// The calls of operations that ranks have begun and perhaps left, as far as they are known.
  std::map<JobOperation, std::map<std::uint32_t, JobCall>> calls;
  /// Messages that were sent and not received, by sender and receiver; only where all calls of both are
  /// known.
  struct Lost {
    std::uint32_t communicator{0};
    std::uint32_t tag{0};
    std::uint64_t bytes{0};
  };
  std::map<std::pair<std::uint32_t, std::uint32_t>, std::vector<Lost>> unreceived;
};

}  // namespace eventspace
