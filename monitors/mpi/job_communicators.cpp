#include "monitors/mpi/job_communicators.h"

#include <charconv>
#include <string_view>
#include <utility>

#include "scopes/tree/rank_list.h"

namespace eventspace {

// Two communicators with the same number get the name "A or B"; their members cannot be told apart.
const JobCommunicators::Members* JobCommunicators::find(std::uint32_t communicator) {
  if (names_->communicator_name(communicator).find(" or ") != std::string_view::npos) return nullptr;
  if (const auto known = known_.find(communicator); known != known_.end()) return &known->second;
  if (known_.size() >= most) return nullptr;
  MpiCommunicatorFacts facts = mpi_communicator_facts(*names_, communicator);
  if (facts.members.empty()) return nullptr;
  Members members{.group = std::move(facts.members), .other_group = std::move(facts.other_group)};
  members.ranks_of_group = RankSet::of(members.group);
  members.ranks = members.ranks_of_group | RankSet::of(members.other_group);
  return &known_.emplace(communicator, std::move(members)).first->second;
}

bool JobCommunicators::is_world(std::uint32_t communicator) const {
  const std::string_view name = names_->communicator_name(communicator);
  return name.starts_with("MPI_COMM_WORLD (") || name.starts_with("MPI_COMM_WORLD of job ");
}

std::optional<std::uint32_t> JobCommunicators::size_of_first_world(std::uint32_t communicator) const {
  constexpr std::string_view begin = "MPI_COMM_WORLD (";
  const std::string_view name = names_->communicator_name(communicator);
  if (!name.starts_with(begin) || !name.ends_with(')')) return std::nullopt;
  const std::string_view digits = name.substr(begin.size(), name.size() - begin.size() - 1);
  std::uint32_t size = 0;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), size);
  return error == std::errc() && end == digits.data() + digits.size() ? std::optional(size) : std::nullopt;
}

std::optional<std::uint32_t> JobCommunicators::partner(std::uint32_t communicator, std::uint32_t member,
                                                       std::uint32_t rank) {
  const Members* const members = find(communicator);
  if (members == nullptr) return is_world(communicator) ? std::optional(rank) : std::nullopt;
  const bool is_in_other = !members->other_group.empty() && members->ranks_of_group.contains(member);
  const auto& group = is_in_other ? members->other_group : members->group;
  return rank < group.size() ? std::optional(group[rank]) : std::nullopt;
}

}  // namespace eventspace
