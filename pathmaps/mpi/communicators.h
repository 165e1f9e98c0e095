#pragma once

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

/// A communicator or window of this process. All members may be read at any time, even while the program
/// wrongly frees the communicator in another thread.
struct Communicator {
  std::atomic<std::uint32_t> number{MpiCallRecord::other_communicator};  ///< in records
  std::atomic<std::uint32_t> collectives{0};                             ///< begun by this process on it
  /// Number of processes to which a collective operation sends: all of the communicator, or of the other
  /// group.
  std::atomic<std::uint32_t> receivers{0};
  std::atomic<std::uint32_t> neighbors{0};  ///< the same for a neighbourhood operation; 0 without a topology
};

/// The communicators of this process. All members of a communicator give it the same number without
/// communication. The number is made from the parent's number, the name of the function, the tag if there is
/// one, the ranks of the members in MPI_COMM_WORLD in their order, and the count of earlier communicators
/// with the same properties. All members make these communicators together, in one order.
///
/// Windows of one-sided communication count as communicators whose parent is the communicator they were made
/// on.
///
/// Communicators with members outside MPI_COMM_WORLD, and communicators beyond `most`, are not kept. Each
/// communicator is named in the session when it is added.
///
/// Thread-safe. find() never waits and calls nothing; the others allocate, call the system, and call
/// functions of MPI that are local.
class Communicators {
 public:
  static constexpr std::size_t most = 8192;
  static constexpr std::size_t max_kinds = 65536;  ///< with separate counts
  using Ranks = std::vector<std::uint32_t>;
  /// The members of a communicator as ranks in MPI_COMM_WORLD. `other` is the other group of an
  /// intercommunicator.
  struct Members {
    Ranks own;
    std::optional<Ranks> other;
  };

  /// Names MPI_COMM_WORLD before MPI has begun, so a reader can list the missing ranks. For a spawned job,
  /// also names the process that spawned it. Returns the number of MPI_COMM_WORLD.
  static std::uint32_t announce_world(std::uint32_t size);
  /// Adds MPI_COMM_WORLD and MPI_COMM_SELF.
  void add_first();
  /// Adds a communicator that the function `call` made from `parent`. `tag` is MpiCallRecord::none if the
  /// function does not have a tag.
  void add(MPI_Comm comm, MPI_Comm parent, std::uint16_t call, std::uint32_t tag);
  /// Adds a duplicate that is still being made and cannot be queried yet. Does not call MPI: uses the members
  /// and neighbours of the parent.
  void add_duplicate(MPI_Comm comm, MPI_Comm parent, std::uint16_t call);
  /// Adds a window with the processes of the parent.
  void add_window(MPI_Win window, MPI_Comm parent, std::uint16_t call);
  /// Sets the program's name for the communicator.
  void rename(MPI_Comm comm, std::string_view name);
  /// Returns null if it is not known. The pointer is valid until the communicator is removed.
  [[nodiscard]] Communicator* find(MPI_Comm comm) noexcept { return find_handle(handle_of(comm)); }
  [[nodiscard]] Communicator* find_window(MPI_Win window) noexcept { return find_handle(handle_of(window)); }
  void remove(MPI_Comm comm) noexcept { remove_handle(handle_of(comm)); }
  void remove_window(MPI_Win window) noexcept { remove_handle(handle_of(window)); }

 private:
  // Handles lie near the slot of their hash. A lookup reads at most `reach` slots.
  static constexpr std::size_t reach = 16;
  using Handle = std::uintptr_t;
  static constexpr Handle unused = ~Handle{0};
  struct Slot {
    std::atomic<Handle> handle{unused};
    Communicator communicator;
    // Guarded by the mutex:
    std::string name;
    std::shared_ptr<const Members> members;  // shared by duplicates
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

/// The communicators of this process. Never destroyed: threads may call MPI while the process exits.
inline Communicators& all_communicators() {
  static Communicators& all = *new Communicators;
  return all;
}

}  // namespace eventspace::mpi
