#pragma once

// Private to pathmaps/.

#include <array>
#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "collectors/mpi/mpi_record.h"
#include "pathmaps/mpi/requests.h"
#include "pathmaps/mpi/weak_mpi.h"

namespace eventspace::mpi {

/// What a process knows of one of its communicators or windows. All of it may be read at any time, also while
/// the program, by its fault, frees the communicator in another thread.
struct Communicator {
  std::atomic<std::uint32_t> number{MpiCallRecord::other_communicator};  ///< in records
  std::atomic<std::uint32_t> collectives{0};                             ///< that the process has begun on it
  /// To how many processes a collective operation sends: those of the communicator, or of the other group.
  std::atomic<std::uint32_t> receivers{0};
  std::atomic<std::uint32_t> neighbors{0};  ///< the same of one of neighbours; 0: it has no topology
};

/// The communicators of this process. Their numbers are the same in all their processes, without
/// communication: a number is made from that of the parent, the name of the function, the tag if there is
/// one, the ranks in MPI_COMM_WORLD of the members in their order, and how many communicators with all these
/// the process has made before. All members make those together, in one order.
///
/// Windows of one-sided communication count as communicators, made from those of their processes.
///
/// Communicators with members outside MPI_COMM_WORLD, and those beyond `most`, are not known. Each is named
/// in the session when it is added.
///
/// Thread-safe. find() never waits and calls nothing; the others allocate, call the system, and call
/// functions of MPI that are local.
class Communicators {
 public:
  static constexpr std::size_t most = 8192;
  static constexpr std::size_t max_kinds = 65536;  ///< whose numbers are counted apart
  using Ranks = std::vector<std::uint32_t>;
  /// The members of a communicator as ranks in MPI_COMM_WORLD; `other`: of the other group, if there is one.
  struct Members {
    Ranks own;
    std::optional<Ranks> other;
  };

  /// Names MPI_COMM_WORLD before MPI has begun, so that a reader knows which ranks are missing. Returns its
  /// number. Of a job that was spawned it also says by which process.
  static std::uint32_t announce_world(std::uint32_t size);
  /// Adds MPI_COMM_WORLD and MPI_COMM_SELF.
  void add_first();
  /// Adds one that was made from `parent` by the function `call`. `tag`: none if the function has none.
  void add(MPI_Comm comm, MPI_Comm parent, std::uint16_t call, std::uint32_t tag);
  /// The same of a duplicate that cannot be asked yet, because it is still being made. Calls no function of
  /// MPI: what is said of it is what is known of the parent.
  void add_duplicate(MPI_Comm comm, MPI_Comm parent, std::uint16_t call);
  /// The same of a window, whose processes are those of the parent.
  void add_window(MPI_Win window, MPI_Comm parent, std::uint16_t call);
  /// The program calls the communicator so.
  void rename(MPI_Comm comm, std::string_view name);
  /// Returns null if it is not known. Valid until it is removed.
  [[nodiscard]] Communicator* find(MPI_Comm comm) noexcept { return find_handle(handle_of(comm)); }
  [[nodiscard]] Communicator* find_window(MPI_Win window) noexcept { return find_handle(handle_of(window)); }
  void remove(MPI_Comm comm) noexcept { remove_handle(handle_of(comm)); }
  void remove_window(MPI_Win window) noexcept { remove_handle(handle_of(window)); }

 private:
  // Handles lie near where their hash says. A lookup reads at most `reach` of them.
  static constexpr std::size_t reach = 16;
  using Handle = std::uintptr_t;
  static constexpr Handle unused = ~Handle{0};
  struct Slot {
    std::atomic<Handle> handle{unused};
    Communicator communicator;
    // Guarded by the mutex:
    std::string name;
    std::shared_ptr<const Members> members;  // duplicates share them
  };
  [[nodiscard]] static std::size_t home_of(Handle handle) noexcept;
  [[nodiscard]] Communicator* find_handle(Handle handle) noexcept;
  void remove_handle(Handle handle) noexcept;
  Slot* slot_of(Handle handle) noexcept;
  void insert(Handle handle, std::uint32_t number, std::string name, std::shared_ptr<const Members> members,
              std::uint32_t neighbors);
  [[nodiscard]] const Slot* known_slot_of(MPI_Comm comm) noexcept;
  void add_child(Handle handle, std::shared_ptr<const Members> members, std::uint32_t neighbors,
                 const Slot& parent, std::uint16_t call, std::uint32_t tag);

  std::array<Slot, most + reach> slots_;
  std::mutex mutex_;  // guards changes, and the members below
  std::unordered_map<std::uint64_t, std::uint32_t> made_;
};

}  // namespace eventspace::mpi
