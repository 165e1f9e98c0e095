#include "pathmaps/mpi/communicators.h"

#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <numeric>
#include <span>
#include <utility>

#include "collectors/mpi/mpi_calls.h"
#include "pathmaps/mpi/mpi_process.h"
#include "pathmaps/mpi/real_mpi.h"
#include "pathmaps/mpi/requests.h"
#include "scopes/tree/rank_list.h"
#include "tuplespace/system/fnv.h"
#include "tuplespace/system/plain_text.h"

namespace eventspace::mpi {
namespace {

constexpr std::uint32_t of_first = 0xffff;  // instead of the number of a function

std::uint64_t hash_of(std::span<const std::uint32_t> words) noexcept {
  return fnv1a<std::uint64_t>({reinterpret_cast<const char*>(words.data()), words.size_bytes()});
}

// The ranks in MPI_COMM_WORLD of a group's members; nullopt if a member is not in MPI_COMM_WORLD.
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

std::optional<Communicators::Members> members_of(MPI_Comm comm) {
  int is_inter = 0;
  if (real_mpi().comm_test_inter(comm, &is_inter) != MPI_SUCCESS) return std::nullopt;
  auto own = ranks_of(comm, real_mpi().comm_group);
  if (!own) return std::nullopt;
  Communicators::Members members{std::move(*own), std::nullopt};
  if (is_inter == 0) return members;
  members.other = ranks_of(comm, real_mpi().comm_remote_group);
  if (!members.other) return std::nullopt;
  return members;
}

// Both groups, in the same order in all their processes.
std::pair<const Communicators::Ranks*, const Communicators::Ranks*> in_order(
    const Communicators::Members& members) {
  if (!members.other) return {&members.own, nullptr};
  const bool is_first = members.own < *members.other;
  return {is_first ? &members.own : &*members.other, is_first ? &*members.other : &members.own};
}

std::string text_of(const Communicators::Members& members) {
  constexpr std::size_t longest = 2000;  // of each group: a name has at most 4096 bytes
  const auto [first, second] = in_order(members);
  std::string text = to_rank_list(*first, longest);
  return second == nullptr ? text : text + "|" + to_rank_list(*second, longest);
}

std::uint32_t number_of(std::span<const std::uint32_t> identity) {
  const std::uint64_t hash = hash_of(identity);
  return std::max(static_cast<std::uint32_t>(hash ^ hash >> 32), MpiCallRecord::first_communicator);
}

// The number of MPI_COMM_WORLD, or of the MPI_COMM_SELF of a rank. It differs between the jobs of a session.
std::uint32_t number_of_first(std::uint32_t self = 0) {
  std::vector<std::uint32_t> identity{of_first};
  if (self != 0) identity.push_back(self);
  if (const std::uint32_t job = spawned_job(); job != 0) identity.insert(identity.end(), {0, job});
  return number_of(identity);
}

std::string name_of_first(std::string_view name, std::size_t size) {
  const std::uint32_t job = spawned_job();
  return fmt::format("{}{} ({})", name, job == 0 ? "" : fmt::format(" of job {}", job), size);
}

// The number of processes to which a neighbourhood operation sends.
std::uint32_t neighbors_in(MPI_Comm comm) {
  const RealMpi& real = real_mpi();
  int topology = MPI_UNDEFINED;
  int count = 0;
  int more = 0;
  int rank = 0;
  if (real.topo_test(comm, &topology) != MPI_SUCCESS) return 0;
  if (topology == MPI_CART) {
    if (real.cartdim_get(comm, &count) != MPI_SUCCESS) return 0;
    count *= 2;
  } else if (topology == MPI_GRAPH) {
    if (real.comm_rank(comm, &rank) != MPI_SUCCESS ||
        real.graph_neighbors_count(comm, rank, &count) != MPI_SUCCESS)
      return 0;
  } else if (topology == MPI_DIST_GRAPH) {
    int sources = 0;
    if (real.dist_graph_neighbors_count(comm, &sources, &count, &more) != MPI_SUCCESS) return 0;
  }
  return count < 0 ? 0 : static_cast<std::uint32_t>(count);
}

std::string name_of(std::string_view call, std::string_view parent, std::uint32_t first, std::size_t size,
                    std::uint32_t before) {
  constexpr std::string_view prefix = "MPI_";
  if (call.starts_with(prefix)) call.remove_prefix(prefix.size());
  std::string which = before == 0 ? "" : fmt::format(" #{}", before + 1);
  parent = parent.substr(0, parent.rfind(" ("));
  constexpr std::size_t longest = 160;  // of communicators that were made from one another many times
  if (parent.size() > longest) parent = "...";
  return fmt::format("{}{} of {} from rank {} ({})", call, which, parent, first, size);
}

}  // namespace

std::size_t Communicators::home_of(Handle handle) noexcept {
  constexpr std::uint64_t spread = 0x9e3779b97f4a7c15;  // Knuth's multiplicative hash
  return static_cast<std::size_t>((handle * spread) >> 40) % most;
}

Communicator* Communicators::find_handle(Handle handle) noexcept {
  Slot* const home = &slots_[home_of(handle)];
  for (std::size_t i = 0; i < reach; ++i) {
    if (home[i].handle.load(std::memory_order_acquire) == handle) return &home[i].communicator;
  }
  return nullptr;
}

void Communicators::remove_handle(Handle handle) noexcept {
  const std::lock_guard lock(mutex_);
  Slot* const home = &slots_[home_of(handle)];
  for (std::size_t i = 0; i < reach; ++i) {
    if (home[i].handle.load(std::memory_order_relaxed) != handle) continue;
    home[i].handle.store(unused, std::memory_order_release);
    home[i].members.reset();
  }
}

// Call with the mutex held. MPI may have given a handle to a new communicator unnoticed, because the first
// one was freed in a nested call; the handle then stands for the new communicator.
Communicators::Slot* Communicators::slot_of(Handle handle) noexcept {
  Slot* const home = &slots_[home_of(handle)];
  const auto has = [](Handle wanted) {
    return [wanted](const Slot& slot) { return slot.handle.load(std::memory_order_relaxed) == wanted; };
  };
  if (Slot* const known = std::find_if(home, home + reach, has(handle)); known != home + reach) return known;
  Slot* const free = std::find_if(home, home + reach, has(unused));
  return free == home + reach ? nullptr : free;
}

// Call with the mutex held.
const Communicators::Slot* Communicators::known_slot_of(MPI_Comm comm) noexcept {
  const Slot* const slot = slot_of(handle_of(comm));
  return slot != nullptr && slot->handle.load(std::memory_order_relaxed) == handle_of(comm) ? slot : nullptr;
}

// Call with the mutex held.
void Communicators::insert(Handle handle, std::uint32_t number, std::string name,
                           std::shared_ptr<const Members> members, std::uint32_t neighbors) {
  name_communicator({OwnNameOf::communicator, number, name});
  name_communicator({OwnNameOf::communicator_members, number, text_of(*members)});
  Slot* const slot = slot_of(handle);
  if (slot == nullptr) return;
  Communicator& entry = slot->communicator;
  entry.number.store(number, std::memory_order_relaxed);
  entry.collectives.store(0, std::memory_order_relaxed);
  entry.receivers.store(static_cast<std::uint32_t>((members->other ? *members->other : members->own).size()),
                        std::memory_order_relaxed);
  entry.neighbors.store(neighbors, std::memory_order_relaxed);
  slot->name = std::move(name);
  slot->members = std::move(members);
  slot->handle.store(handle, std::memory_order_release);
}

std::uint32_t Communicators::announce_world(std::uint32_t size) {
  const std::uint32_t number = number_of_first();
  Members all{Ranks(size), std::nullopt};
  std::iota(all.own.begin(), all.own.end(), 0);
  name_communicator({OwnNameOf::communicator, number, name_of_first("MPI_COMM_WORLD", size)});
  name_communicator({OwnNameOf::communicator_members, number, text_of(all)});
  if (std::string parent = parent_of_job(); !parent.empty())
    name_communicator({OwnNameOf::spawned_job, spawned_job(), std::move(parent)});
  return number;
}

void Communicators::add_first() {
  const RealMpi& real = real_mpi();
  int rank = 0;
  int size = 0;
  if (real.comm_rank(MPI_COMM_WORLD, &rank) != MPI_SUCCESS ||
      real.comm_size(MPI_COMM_WORLD, &size) != MPI_SUCCESS)
    return;
  const auto own_rank = static_cast<std::uint32_t>(rank);
  auto all = std::make_shared<Members>(Members{Ranks(static_cast<std::size_t>(size)), std::nullopt});
  std::iota(all->own.begin(), all->own.end(), 0);
  auto self = std::make_shared<Members>(Members{Ranks{own_rank}, std::nullopt});
  const std::lock_guard lock(mutex_);
  insert(handle_of(MPI_COMM_WORLD), number_of_first(),
         name_of_first("MPI_COMM_WORLD", static_cast<std::size_t>(size)), std::move(all), 0);
  insert(handle_of(MPI_COMM_SELF), number_of_first(own_rank + 1),
         name_of_first(fmt::format("MPI_COMM_SELF of rank {}", rank), 1), std::move(self), 0);
}

void Communicators::add(MPI_Comm comm, MPI_Comm parent, std::uint16_t call, std::uint32_t tag) {
  auto members = members_of(comm);
  if (!members) return;
  const std::uint32_t neighbors = neighbors_in(comm);
  const std::lock_guard lock(mutex_);
  const Slot* const known = known_slot_of(parent);
  if (known == nullptr) return;
  add_child(handle_of(comm), std::make_shared<const Members>(std::move(*members)), neighbors, *known, call,
            tag);
}

void Communicators::add_duplicate(MPI_Comm comm, MPI_Comm parent, std::uint16_t call) {
  const std::lock_guard lock(mutex_);
  const Slot* const known = known_slot_of(parent);
  if (known == nullptr) return;
  add_child(handle_of(comm), known->members, known->communicator.neighbors.load(std::memory_order_relaxed),
            *known, call, MpiCallRecord::none);
}

void Communicators::add_window(MPI_Win window, MPI_Comm parent, std::uint16_t call) {
  const std::lock_guard lock(mutex_);
  const Slot* const known = known_slot_of(parent);
  if (known != nullptr) add_child(handle_of(window), known->members, 0, *known, call, MpiCallRecord::none);
}

// Call with the mutex held.
void Communicators::add_child(Handle handle, std::shared_ptr<const Members> members, std::uint32_t neighbors,
                              const Slot& parent, std::uint16_t call, std::uint32_t tag) {
  const auto [first, second] = in_order(*members);
  const std::string_view function = mpi_call_names()[call];
  // The two sides make it from different communicators.
  const bool has_parent = !function.starts_with("MPI_Intercomm_create");
  const std::uint32_t parent_number = parent.communicator.number.load(std::memory_order_relaxed);
  std::vector<std::uint32_t> identity{has_parent ? parent_number : 0, call, tag};
  identity.insert(identity.end(), first->begin(), first->end());
  if (second != nullptr) identity.insert(identity.end(), second->begin(), second->end());
  const std::size_t size = identity.size() - 3;
  if (!has_parent && spawned_job() != 0)
    identity.push_back(spawned_job());  // otherwise the parent identifies the job
  std::uint32_t before = 0;
  const std::uint64_t kind = hash_of(identity);
  if (made_.size() < max_kinds || made_.contains(kind)) before = made_[kind]++;
  identity.push_back(before);
  std::string name = name_of(function, has_parent ? std::string_view(parent.name) : "two groups (",
                             first->empty() ? 0 : first->front(), size, before);
  insert(handle, number_of(identity), std::move(name), std::move(members), neighbors);
}

void Communicators::rename(MPI_Comm comm, std::string_view name) {
  const std::lock_guard lock(mutex_);
  Slot* const slot = slot_of(handle_of(comm));
  if (slot == nullptr || slot->handle.load(std::memory_order_relaxed) != handle_of(comm) || name.empty())
    return;
  const std::size_t size = slot->name.rfind(" (");
  slot->name = made_plain(name, MPI_MAX_OBJECT_NAME) + slot->name.substr(std::min(size, slot->name.size()));
  name_communicator(
      {OwnNameOf::named_communicator, slot->communicator.number.load(std::memory_order_relaxed), slot->name});
}

}  // namespace eventspace::mpi
