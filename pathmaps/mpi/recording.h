#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

#include "collectors/mpi/mpi_record.h"
#include "pathmaps/mpi/object_calls.h"
#include "pathmaps/mpi/poll.h"
#include "pathmaps/mpi/weak_mpi.h"
#include "pathmaps/mpi/windows.h"
#include "pathmaps/preloading/next_function.h"

namespace eventspace::mpi {

struct Communicator;

/// The wrapped functions, two entries for each: MPI_X and PMPI_X. Written by generate_wrappers.
extern const preloading::Table table;

/// The status for a call to fill: the program's, or `own` if the program ignores it.
inline MPI_Status* status_in(MPI_Status* of_program, MPI_Status& own) noexcept {
  return of_program == MPI_STATUS_IGNORE ? &own : of_program;
}

/// The next function after the wrapper of a table entry (preloading::next_of()).
void* next_of(std::size_t slot) noexcept;

/// Records one call of MPI by the calling thread, from before it begins to after it has ended. Nested calls,
/// which MPI or another tool makes inside a call, are not recorded. The library's own code does not
/// communicate.
///
/// Only wrappers use it; they call the functions in the order below. No function throws.
class Recording {
 public:
  enum Joining : std::uint8_t { stays, joins };
  /// `from` is the return address of the call. `joins`: MPI begins, and the process joins the session of its
  /// environment, unless it already has.
  Recording(std::uint16_t call, MpiClass of, const void* from, Joining joining = stays) noexcept;
  ~Recording();
  Recording(const Recording&) = delete;
  Recording& operator=(const Recording&) = delete;
  /// Whether the process is in a session and the call is not nested. If false, the caller must not call
  /// anything else.
  explicit operator bool() const noexcept { return is_followed_; }

  void communicator(MPI_Comm comm) noexcept;
  void partner(int rank) noexcept;
  void root(int rank) noexcept;
  void tag(int tag) noexcept;
  void bytes(MPI_Count count, MPI_Datatype datatype) noexcept;
  /// For a collective operation on the communicator with a count, and perhaps a type, for each receiver or
  /// neighbour.
  enum Extent : std::uint8_t { receivers, neighbors };
  template <class Count>
  void bytes_of(Extent extent, const Count* counts, MPI_Datatype datatype) noexcept;
  template <class Count>
  void bytes_of(Extent extent, const Count* counts, const MPI_Datatype* datatypes) noexcept;
  /// Uses the window as the communicator.
  void window(MPI_Win window) noexcept;
  void lock(int type) noexcept { call_.tag = type == MPI_LOCK_EXCLUSIVE ? 1 : 0; }
  /// An epoch with the processes of `group` begins on the window, or the last epoch of its sort is about to
  /// end.
  void begins_epoch(Windows::Epoch epoch, MPI_Group group) noexcept;
  void ends_epoch(Windows::Epoch epoch) noexcept;
  /// The receive of a call that also sends.
  void receives(int source, int tag) noexcept;
  /// The call makes a request for an operation of this class.
  void makes_request(MpiClass of, bool is_persistent) noexcept;
  /// The call is a poll, which a program may repeat without success. Call this after all functions that
  /// distinguish it from other polls. Without a call of found(), the poll counts as unsuccessful.
  void looks() noexcept;
  /// The same for a test of these requests, which belong to the program.
  void looks_for(std::span<const MPI_Request> requests) noexcept {
    poll_.tests(requests);
    looks();
  }
  void found() noexcept { poll_.found(); }
  void begin() noexcept;

  void received(int error, const MPI_Status* status) noexcept;
  /// The number of bytes of a file that the call has read or written.
  void moved(int error, const MPI_Status* status) noexcept;
  void made(int error, const MPI_Request* request) noexcept;
  /// For the functions of object_calls.h.
  [[nodiscard]] Maker maker() const noexcept { return {parent_, call_.call, call_.tag}; }
  void end(int error) noexcept;

 private:
  friend class Completion;
  void begin(std::uint32_t in_all, std::span<const MpiCallRecord> awaited) noexcept;
  void end(int error, std::span<const MpiCallRecord> completed) noexcept;
  void end_recorded(std::span<const MpiCallRecord> completed) noexcept;
  [[nodiscard]] std::uint32_t count_of(Extent extent) const noexcept;
  void begin_epoch_call() noexcept;
  void add_bytes(MPI_Count count, MPI_Datatype datatype) noexcept;

  MpiCallRecord call_;
  MPI_Comm parent_{};
  MPI_Win window_{};
  Communicator* communicator_{nullptr};
  MpiRecorder* recorder_{nullptr};
  std::optional<MpiCallRecord> beside_{};  // the receive of a Sendrecv
  std::optional<Windows::Group> epoch_{};  // the processes of an epoch that begins or is about to end
  std::uint32_t request_{0};               // the number of the request that the call makes
  bool is_followed_{false};
  bool is_recorded_{false};  // otherwise only communicators, requests and collective operations are counted
  bool is_open_{false};
  Poll poll_;
  bool is_persistent_{false};
};

template <class Count>
void Recording::bytes_of(Extent extent, const Count* counts, MPI_Datatype datatype) noexcept {
  if (!is_recorded_ || counts == nullptr) return;
  MPI_Count sum = 0;
  for (std::uint32_t i = 0; i < count_of(extent); ++i) sum += std::max<MPI_Count>(counts[i], 0);
  bytes(sum, datatype);
}

template <class Count>
void Recording::bytes_of(Extent extent, const Count* counts, const MPI_Datatype* datatypes) noexcept {
  if (!is_recorded_ || counts == nullptr || datatypes == nullptr) return;
  for (std::uint32_t i = 0; i < count_of(extent); ++i) add_bytes(counts[i], datatypes[i]);
}

}  // namespace eventspace::mpi
