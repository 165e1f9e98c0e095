#include "monitors/mpi/job_communicators.h"

#include <charconv>
#include <utility>

#include "scopes/tree/rank_list.h"

namespace eventspace {

// If two communicators have one number, whose name is then "A or B", it is not known whose members these are.
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
  return names_->communicator_name(communicator).starts_with("MPI_COMM_WORLD (");
}

std::optional<std::uint32_t> JobCommunicators::partner(std::uint32_t communicator, std::uint32_t member,
                                                       std::uint32_t rank) {
  const Members* const members = find(communicator);
  if (members == nullptr) return is_world(communicator) ? std::optional(rank) : std::nullopt;
  const bool is_in_other = !members->other_group.empty() && members->ranks_of_group.contains(member);
  const auto& group = is_in_other ? members->other_group : members->group;
  return rank < group.size() ? std::optional(group[rank]) : std::nullopt;
}

std::optional<std::uint32_t> rank_in_name(std::string_view process) {
  const std::size_t dot = process.rfind('.');
  if (dot == std::string_view::npos) return std::nullopt;
  const std::string_view digits = process.substr(dot + 1);
  std::uint32_t rank = 0;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), rank);
  constexpr std::uint32_t most_ranks = 1u
                                       << 20;  // the name is the process's word; a look has an entry for each
  const bool is_whole = error == std::errc() && end == digits.data() + digits.size();
  return is_whole && rank < most_ranks ? std::optional(rank) : std::nullopt;
}

bool is_spawned(std::string_view process) {
  const std::size_t dot = process.rfind('.');
  const std::size_t colon = process.rfind(':');
  const auto is_number = [](std::string_view text) {
    return !text.empty() && text.find_first_not_of("0123456789") == std::string_view::npos;
  };
  return dot != std::string_view::npos && colon != std::string_view::npos && dot < colon &&
         is_number(process.substr(dot + 1, colon - dot - 1)) && is_number(process.substr(colon + 1));
}

}  // namespace eventspace
