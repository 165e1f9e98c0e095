#include "pathmaps/mpi/windows.h"

#include <algorithm>

#include "pathmaps/mpi/requests.h"

namespace eventspace::mpi {

void Windows::remember(MPI_Win window, Epoch epoch, const Group& group) noexcept {
  const std::size_t place = place_for(window);
  if (place == most) return;
  Entry& entry = entries_[place];
  for (std::size_t i = 0; i < group.known; ++i)
    entry.ranks[epoch][i].store(group.ranks[i], std::memory_order_relaxed);
  entry.in_all[epoch].store(group.in_all, std::memory_order_relaxed);
  entry.known[epoch].store(static_cast<std::uint32_t>(group.known), std::memory_order_relaxed);
}

// A known window may lie after a free place, so search for it first.
std::size_t Windows::place_for(MPI_Win window) noexcept {
  std::size_t place = place_of(window);
  for (std::size_t i = 0; i < most && place == most; ++i) {
    Handle free = unused;
    if (entries_[i].handle.compare_exchange_strong(free, handle_of(window))) place = i;
  }
  return place;
}

std::size_t Windows::place_of(MPI_Win window) const noexcept {
  const Handle handle = handle_of(window);
  std::size_t place = 0;
  while (place < most && entries_[place].handle.load(std::memory_order_acquire) != handle) ++place;
  return place;
}

Windows::Group Windows::group_of(MPI_Win window, Epoch epoch) const noexcept {
  Group group;
  const std::size_t place = place_of(window);
  if (place == most) return group;
  const Entry& entry = entries_[place];
  group.in_all = entry.in_all[epoch].load(std::memory_order_relaxed);
  group.known = std::min<std::size_t>(entry.known[epoch].load(std::memory_order_relaxed), group.ranks.size());
  for (std::size_t i = 0; i < group.known; ++i)
    group.ranks[i] = entry.ranks[epoch][i].load(std::memory_order_relaxed);
  return group;
}

void Windows::forget(MPI_Win window) noexcept {
  const std::size_t place = place_of(window);
  if (place == most) return;
  Entry& entry = entries_[place];
  for (auto* const counts : {&entry.in_all, &entry.known})
    for (auto& count : *counts) count.store(0, std::memory_order_relaxed);
  Handle known = handle_of(window);
  entry.handle.compare_exchange_strong(known, unused);
}

}  // namespace eventspace::mpi
