#include "monitors/mpi/window_history.h"

#include <algorithm>
#include <array>

#include "collectors/mpi/mpi_text.h"

namespace eventspace {
namespace {

using Sort = WindowCall::Sort;

struct SortOfFunction {
  std::string_view function;
  Sort sort;
};
constexpr std::array sorts{
    SortOfFunction{"MPI_Win_post", Sort::post},         SortOfFunction{"MPI_Win_start", Sort::start},
    SortOfFunction{"MPI_Win_complete", Sort::complete}, SortOfFunction{"MPI_Win_wait", Sort::wait},
    SortOfFunction{"MPI_Win_lock", Sort::lock},         SortOfFunction{"MPI_Win_lock_all", Sort::lock},
    SortOfFunction{"MPI_Win_unlock", Sort::unlock},     SortOfFunction{"MPI_Win_unlock_all", Sort::unlock}};

std::optional<std::uint32_t> target_of(const JobCall& call) {
  return call.awaits.empty() ? std::nullopt : call.awaits.front().partner;
}

// Whether a thread of the rank is in a call for a lock of the same target.
bool is_in_call_for(const JobRank& rank, std::uint32_t window, std::optional<std::uint32_t> target) {
  return std::ranges::any_of(rank.threads, [&](const JobThread& thread) {
    if (!thread.in_flight || thread.in_flight->of != MpiClass::window) return false;
    const auto other = target_of(*thread.in_flight);
    return thread.in_flight->communicator == window && (!other || !target || other == target);
  });
}

}  // namespace

WindowCall::Sort window_sort(std::string_view function) noexcept {
  const auto found = std::ranges::find(sorts, function, &SortOfFunction::function);
  return found == sorts.end() ? Sort::none : found->sort;
}

void WindowHistory::add(std::uint32_t rank, const WindowCall& call, std::int64_t began_ns,
                        std::int64_t ended_ns) {
  if (call.sort == Sort::none || epochs_.size() >= max_entries || locks_.size() >= max_entries) return;
  Epochs& epochs = epochs_[{call.window, rank}];
  switch (call.sort) {
    case Sort::post:
      epochs.posted = {began_ns, call.group, call.is_whole_group};
      return;
    case Sort::start:
      epochs.started = {began_ns, call.group, call.is_whole_group};
      return;
    case Sort::complete:
      epochs.completed = epochs.started.value_or(Epoch{});
      epochs.completed->at_ns = ended_ns;
      return;
    case Sort::lock:
      locks_[{call.window, call.target}][rank] = call.is_exclusive;
      return;
    case Sort::unlock:
      if (const auto lock = locks_.find({call.window, call.target}); lock != locks_.end()) {
        lock->second.erase(rank);
        if (lock->second.empty()) locks_.erase(lock);
      }
      return;
    case Sort::wait:
    case Sort::none:
      return;
  }
}

void WindowHistory::complete(JobLook& look) const {
  for (std::uint32_t rank = 0; rank < look.ranks.size(); ++rank) {
    for (JobThread& thread : look.ranks[rank].threads) {
      if (!thread.in_flight || thread.in_flight->of != MpiClass::window) continue;
      JobCall& call = *thread.in_flight;
      const Sort sort = window_sort(name_of_mpi_call(call.function));
      if (sort == Sort::start || sort == Sort::complete) {
        await(call, rank, &Epochs::posted, &Epochs::completed);
      } else if (sort == Sort::wait) {
        await(call, rank, &Epochs::completed, &Epochs::posted);
      } else {
        await_locks(look, call, rank);
      }
    }
  }
}

// Removes the partners that have an epoch `given` with this rank since the rank's own last epoch `since`.
void WindowHistory::await(JobCall& call, std::uint32_t rank, std::optional<Epoch> Epochs::*given,
                          std::optional<Epoch> Epochs::*since) const {
  const auto last = [&](std::uint32_t of, std::optional<Epoch> Epochs::*what) -> const Epoch* {
    const auto found = epochs_.find({call.communicator, of});
    const bool is_known = found != epochs_.end() && found->second.*what;
    return is_known ? &*(found->second.*what) : nullptr;
  };
  const Epoch* const own = last(rank, since);
  std::erase_if(call.awaits, [&](const AwaitedPart& part) {
    const Epoch* const theirs = part.partner ? last(*part.partner, given) : nullptr;
    return theirs != nullptr && theirs->is_with(rank) && (own == nullptr || theirs->at_ns > own->at_ns);
  });
}

RankSet WindowHistory::holders(const JobLook& look, const JobCall& call, std::uint32_t rank) const {
  const auto target = target_of(call);
  RankSet exclusive;
  RankSet shared;
  std::optional<bool> wants_exclusive;
  for (const auto& [of, ranks] : locks_) {
    const bool is_same = of.first == call.communicator && (!of.second || !target || of.second == target);
    if (!is_same) continue;
    for (const auto& [holder, is_exclusive] : ranks) {
      if (holder == rank) {
        wants_exclusive = is_exclusive;
      } else if (holder < look.ranks.size() &&
                 !is_in_call_for(look.ranks[holder], call.communicator, target)) {
        (is_exclusive ? exclusive : shared).add(holder);
      }
    }
  }
  if (name_of_mpi_call(call.function) == "MPI_Win_lock") wants_exclusive = call.is_exclusive;
  return wants_exclusive.value_or(false) ? exclusive | shared : exclusive;
}

void WindowHistory::await_locks(const JobLook& look, JobCall& call, std::uint32_t rank) const {
  const RankSet others = holders(look, call, rank);
  if (others.empty()) return;
  call.awaits.clear();
  for (const std::uint32_t holder : others.ranks())
    call.awaits.push_back(
        {.what = AwaitedPart::What::lock, .communicator = call.communicator, .partner = holder});
}

}  // namespace eventspace
