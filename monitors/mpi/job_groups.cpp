#include "monitors/mpi/job_groups.h"

#include <algorithm>
#include <functional>
#include <map>
#include <tuple>

namespace eventspace {

const JobCall* waiting_call(const JobRank& rank) {
  const JobCall* longest = nullptr;
  for (const JobThread& thread : rank.threads) {
    if (!thread.in_flight || thread.in_flight->awaits.empty()) continue;
    if (longest == nullptr || thread.in_flight->age > longest->age) longest = &*thread.in_flight;
  }
  return longest;
}

std::vector<JobGroup> group_by_doing(const JobLook& look, const RankSet& ranks) {
  using Key = std::tuple<JobProcess, bool, std::uint16_t, std::uint32_t, std::uint32_t>;
  std::map<Key, JobGroup> groups;
  for (const std::uint32_t rank : ranks.ranks()) {
    const JobRank& state = look.ranks[rank];
    const JobThread* const thread = state.threads.empty() ? nullptr : &state.threads.front();
    const JobCall* call = waiting_call(state);
    const bool is_in_flight = call != nullptr || (thread != nullptr && thread->in_flight);
    if (call == nullptr && is_in_flight) call = &*thread->in_flight;
    if (call == nullptr && thread != nullptr && thread->last) call = &*thread->last;
    const Key key =
        call == nullptr
            ? Key{state.process, false, 0, 0, 0}
            : Key{is_in_flight && state.process <= JobProcess::hidden ? JobProcess::computing : state.process,
                  is_in_flight, call->function, call->communicator, call->ordinal};
    JobGroup& group = groups[key];
    if (group.ranks.empty()) {
      group.process = state.process;
      if (call != nullptr) (is_in_flight ? group.in_flight : group.last) = *call;
    } else if (call != nullptr && is_in_flight) {
      group.has_one_partner &= group.in_flight->awaits == call->awaits;
    }
    group.ranks.add(rank);
    if (call != nullptr) group.longest = std::max(group.longest, call->age);
  }
  std::vector<JobGroup> all;
  all.reserve(groups.size());
  for (auto& entry : groups) all.push_back(std::move(entry.second));
  std::ranges::stable_sort(all, std::greater(), [](const JobGroup& group) { return group.ranks.size(); });
  return all;
}

}  // namespace eventspace
