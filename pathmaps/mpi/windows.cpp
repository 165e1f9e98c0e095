#include "pathmaps/mpi/windows.h"

#include <algorithm>

#include "pathmaps/mpi/requests.h"

namespace eventspace::mpi {

void Windows::remember(MPI_Win window, Epoch epoch, const Group& group) noexcept {
  const Handle handle = handle_of(window);
  for (Entry& entry : entries_) {
    Handle known = entry.handle.load(std::memory_order_acquire);
    if (known == unused && entry.handle.compare_exchange_strong(known, handle)) known = handle;
    if (known != handle) continue;
    for (std::size_t i = 0; i < group.known; ++i)
      entry.ranks[epoch][i].store(group.ranks[i], std::memory_order_relaxed);
    entry.in_all[epoch].store(group.in_all, std::memory_order_relaxed);
    return;
  }
}

Windows::Group Windows::group_of(MPI_Win window, Epoch epoch) const noexcept {
  Group group;
  const Handle handle = handle_of(window);
  const auto entry = std::ranges::find_if(
      entries_, [handle](const Entry& one) { return one.handle.load(std::memory_order_acquire) == handle; });
  if (entry == entries_.end()) return group;
  group.in_all = entry->in_all[epoch].load(std::memory_order_relaxed);
  group.known = std::min<std::size_t>(group.in_all, group.ranks.size());
  for (std::size_t i = 0; i < group.known; ++i)
    group.ranks[i] = entry->ranks[epoch][i].load(std::memory_order_relaxed);
  return group;
}

void Windows::forget(MPI_Win window) noexcept {
  const Handle handle = handle_of(window);
  for (Entry& entry : entries_) {
    Handle known = handle;
    for (auto& in_all : entry.in_all)
      if (entry.handle.load(std::memory_order_acquire) == handle) in_all.store(0, std::memory_order_relaxed);
    entry.handle.compare_exchange_strong(known, unused);
  }
}

}  // namespace eventspace::mpi
