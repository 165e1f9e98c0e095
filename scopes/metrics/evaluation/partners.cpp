#include "scopes/metrics/evaluation/partners.h"

namespace eventspace::metrics {

std::optional<Partner> Partners::of(const ObservedEvent& event) {
  if (const auto peer = peer_.name_number(event)) return Partner{Partner::Kind::thread, *peer};
  const auto rank = partner_.number(event);
  const auto communicator = communicator_.name_number(event);
  if (!rank || !communicator) return std::nullopt;
  const auto in_world = world_rank(*communicator, static_cast<std::uint32_t>(*rank));
  if (!in_world) return std::nullopt;
  return Partner{Partner::Kind::rank, *in_world};
}

std::optional<std::uint32_t> Partners::world_rank(std::uint32_t communicator, std::uint32_t rank) {
  constexpr std::size_t most_communicators = 4096;
  auto known = communicators_.find(communicator);
  if (known == communicators_.end()) {
    // The names of a communicator come with a view; what is not known yet is asked again.
    const MpiCommunicatorFacts facts = mpi_communicator_facts(*names_, communicator);
    if (facts.name.starts_with("MPI_COMM_WORLD")) return rank;
    if (facts.members.empty() || communicators_.size() >= most_communicators) return std::nullopt;
    known = communicators_.emplace(communicator, facts).first;
  }
  const MpiCommunicatorFacts& facts = known->second;
  const bool is_plain = facts.other_group.empty();
  return is_plain && rank < facts.members.size() ? std::optional(facts.members[rank]) : std::nullopt;
}

bool is_of(const Partner& partner, Base base, std::uint32_t object, const ObservedObjects& objects) {
  if (partner.kind == Partner::Kind::thread) {
    const auto thread = objects.thread_of_number(partner.number);
    if (!thread) return false;
    const std::uint32_t process = objects.threads()[*thread].process;
    if (base == Base::thread) return *thread == object;
    return base == Base::process ? process == object : objects.processes()[process].node == object;
  }
  for (std::uint32_t process = 0; process < objects.processes().size(); ++process) {
    const bool is_it = objects.processes()[process].rank == partner.number;
    if (!is_it) continue;
    if (base == Base::process) return process == object;
    return base == Base::node && objects.processes()[process].node == object;
  }
  return false;
}

}  // namespace eventspace::metrics
