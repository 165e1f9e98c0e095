#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>

#include "collectors/mpi/mpi_requests.h"
#include "pathmaps/mpi/weak_mpi.h"

namespace eventspace::mpi {

/// The groups of the epochs of one-sided communication that this process has begun on its windows. They are
/// kept because MPI_Win_wait and MPI_Win_complete do not name the processes they wait for. Other properties
/// of a window are in Communicators.
///
/// Thread-safe. Does not wait, allocate or make system calls. Groups on windows beyond `most`, and members
/// that do not fit in a record, are not kept.
class Windows {
 public:
  static constexpr std::size_t most = 256;
  enum Epoch : std::uint8_t { access, exposure };

  struct Group {
    std::uint32_t in_all{0};
    std::size_t known{0};
    std::array<std::uint32_t, mpi_parts::max_awaited> ranks{};  ///< in MPI_COMM_WORLD
  };
  void remember(MPI_Win window, Epoch epoch, const Group& group) noexcept;
  /// The group of the last epoch of this sort; empty if not known.
  [[nodiscard]] Group group_of(MPI_Win window, Epoch epoch) const noexcept;
  void forget(MPI_Win window) noexcept;

 private:
  using Handle = std::uintptr_t;
  static constexpr Handle unused = ~Handle{0};
  struct Entry {
    std::atomic<Handle> handle{unused};
    std::array<std::atomic<std::uint32_t>, 2> in_all{};
    std::array<std::atomic<std::uint32_t>, 2> known{};
    std::array<std::array<std::atomic<std::uint32_t>, mpi_parts::max_awaited>, 2> ranks{};
  };
  /// The place of the window in entries_; `most` if it is not there.
  [[nodiscard]] std::size_t place_of(MPI_Win window) const noexcept;
  /// As above, but adds the window if there is a free place.
  [[nodiscard]] std::size_t place_for(MPI_Win window) noexcept;

  std::array<Entry, most> entries_;
};

/// The windows of this process. Never destroyed: threads may call MPI while the process exits.
inline Windows& all_windows() {
  static Windows& all = *new Windows;
  return all;
}

}  // namespace eventspace::mpi
