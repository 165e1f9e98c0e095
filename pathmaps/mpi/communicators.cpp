#include "pathmaps/mpi/communicators.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <optional>
#include <string_view>

#include "collectors/mpi/mpi_calls.h"
#include "pathmaps/mpi/real_mpi.h"
#include "tuplespace/system/fnv.h"

namespace eventspace::mpi {
namespace {

constexpr std::uint32_t of_first = 0xffff;  // instead of the number of a function

/// Handles are pointers in Open MPI and numbers in MPICH.
template <class Comm>
std::uintptr_t handle_of(Comm comm) noexcept {
  if constexpr (std::is_pointer_v<Comm>) {
    return reinterpret_cast<std::uintptr_t>(comm);
  } else {
    return static_cast<std::uintptr_t>(static_cast<std::uint32_t>(comm));
  }
}

std::uint64_t hash_of(std::span<const std::uint32_t> words) noexcept {
  return fnv1a<std::uint64_t>({reinterpret_cast<const char*>(words.data()), words.size_bytes()});
}

// The ranks in MPI_COMM_WORLD of a group's members; none if one has no such rank.
std::optional<std::vector<std::uint32_t>> world_ranks(MPI_Group group) {
  const RealMpi& real = real_mpi();
  MPI_Group world{};
  int size = 0;
  if (real.group_size(group, &size) != MPI_SUCCESS || real.comm_group(MPI_COMM_WORLD, &world) != MPI_SUCCESS)
    return std::nullopt;
  std::vector<int> own(static_cast<std::size_t>(size));
  std::vector<int> in_world(own.size());
  std::iota(own.begin(), own.end(), 0);
  const int error = real.translate_ranks(group, size, own.data(), world, in_world.data());
  (void)real.group_free(&world);
  if (error != MPI_SUCCESS || std::ranges::any_of(in_world, [](int rank) { return rank < 0; }))
    return std::nullopt;
  return std::vector<std::uint32_t>(in_world.begin(), in_world.end());
}

std::optional<std::vector<std::uint32_t>> ranks_of(MPI_Comm comm, decltype(&PMPI_Comm_group) group_of) {
  MPI_Group group{};
  if (group_of(comm, &group) != MPI_SUCCESS) return std::nullopt;
  auto ranks = world_ranks(group);
  (void)real_mpi().group_free(&group);
  return ranks;
}

// The members of both sides of an intercommunicator, in an order on which both sides agree.
std::optional<std::vector<std::uint32_t>> members_of(MPI_Comm comm, bool is_inter) {
  auto members = ranks_of(comm, real_mpi().comm_group);
  if (!members || !is_inter) return members;
  auto remote = ranks_of(comm, real_mpi().comm_remote_group);
  if (!remote) return std::nullopt;
  if (*remote < *members) members->swap(*remote);
  members->insert(members->end(), remote->begin(), remote->end());
  return members;
}

std::string name_of(std::string_view call, std::string_view parent, std::span<const std::uint32_t> members,
                    std::uint32_t before) {
  constexpr std::string_view prefix = "MPI_";
  if (call.starts_with(prefix)) call.remove_prefix(prefix.size());
  std::string which = before == 0 ? "" : fmt::format(" #{}", before + 1);
  parent = parent.substr(0, parent.rfind(" ("));
  constexpr std::size_t longest = 160;  // of communicators that were made from one another many times
  if (parent.size() > longest) parent = "...";
  return fmt::format("{}{} of {} from rank {} ({})", call, which, parent,
                     members.empty() ? 0 : members.front(), members.size());
}

}  // namespace

std::size_t Communicators::home_of(Handle handle) noexcept {
  constexpr std::uint64_t spread = 0x9e3779b97f4a7c15;  // Knuth's multiplicative hash
  return static_cast<std::size_t>((handle * spread) >> 40) % most;
}

Communicator* Communicators::find(MPI_Comm comm) noexcept {
  const Handle handle = handle_of(comm);
  Slot* const home = &slots_[home_of(handle)];
  for (std::size_t i = 0; i < reach; ++i) {
    if (home[i].handle.load(std::memory_order_acquire) == handle) return &home[i].communicator;
  }
  return nullptr;
}

void Communicators::remove(MPI_Comm comm) noexcept {
  const std::lock_guard lock(mutex_);
  const Handle handle = handle_of(comm);
  Slot* const home = &slots_[home_of(handle)];
  for (std::size_t i = 0; i < reach; ++i) {
    if (home[i].handle.load(std::memory_order_relaxed) == handle)
      home[i].handle.store(unused, std::memory_order_release);
  }
}

// Call with the mutex held.
void Communicators::insert(MPI_Comm comm, std::uint32_t number, std::string name) {
  const Handle handle = handle_of(comm);
  Slot* const home = &slots_[home_of(handle)];
  const auto is_free = [](const Slot& slot) { return slot.handle.load(std::memory_order_relaxed) == unused; };
  Slot* const free = std::find_if(home, home + reach, is_free);
  if (free == home + reach) return;
  free->communicator.number = number;
  free->communicator.collectives.store(0, std::memory_order_relaxed);
  free->communicator.is_named.store(false, std::memory_order_relaxed);
  free->communicator.name = std::move(name);
  free->handle.store(handle, std::memory_order_release);
}

std::uint32_t Communicators::number_of(std::span<const std::uint32_t> identity) {
  const std::uint64_t hash = hash_of(identity);
  return std::max(static_cast<std::uint32_t>(hash ^ hash >> 32), MpiCallRecord::first_communicator);
}

void Communicators::add_first() {
  const RealMpi& real = real_mpi();
  int rank = 0;
  int size = 0;
  if (real.comm_rank(MPI_COMM_WORLD, &rank) != MPI_SUCCESS ||
      real.comm_size(MPI_COMM_WORLD, &size) != MPI_SUCCESS)
    return;
  const std::lock_guard lock(mutex_);
  insert(MPI_COMM_WORLD, number_of(std::array{of_first}), fmt::format("MPI_COMM_WORLD ({})", size));
  insert(MPI_COMM_SELF, number_of(std::array{of_first, static_cast<std::uint32_t>(rank) + 1}),
         fmt::format("MPI_COMM_SELF of rank {} (1)", rank));
}

void Communicators::add(MPI_Comm comm, MPI_Comm parent, std::uint16_t call, std::uint32_t tag) {
  int is_inter = 0;
  if (real_mpi().comm_test_inter(comm, &is_inter) != MPI_SUCCESS) return;
  const auto members = members_of(comm, is_inter != 0);
  const Communicator* known = find(parent);
  if (!members || known == nullptr) return;
  const std::string_view function = mpi_call_names()[call];
  // The two sides make it from two communicators.
  const bool has_parent = !function.starts_with("MPI_Intercomm_create");
  std::vector<std::uint32_t> identity{has_parent ? known->number : 0, call, tag};
  identity.insert(identity.end(), members->begin(), members->end());
  const std::lock_guard lock(mutex_);
  std::uint32_t before = 0;
  const std::uint64_t kind = hash_of(identity);
  if (made_.size() < most_kinds || made_.contains(kind)) before = made_[kind]++;
  identity.push_back(before);
  insert(comm, number_of(identity),
         name_of(function, has_parent ? std::string_view(known->name) : "two groups (", *members, before));
}

}  // namespace eventspace::mpi
