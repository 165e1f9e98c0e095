#include "scopes/metrics/history/partners.h"

#include "collectors/mpi/mpi_record.h"

namespace eventspace::metrics {

std::optional<Partner> Partners::of(const ObservedEvent& event) {
  if (const auto peer = peer_.name_number(event)) return Partner{Partner::Kind::thread, *peer};
  const auto rank = partner_.number(event);
  const auto communicator = communicator_.name_number(event);
  if (!rank || !communicator) return std::nullopt;
  return of_rank(*communicator, static_cast<std::uint32_t>(*rank));
}

std::optional<Partner> Partners::of_rank(std::uint32_t communicator, std::uint32_t rank) {
  if (rank == MpiCallRecord::none) return std::nullopt;
  const auto in_world = world_rank(communicator, rank);
  if (!in_world) return std::nullopt;
  return Partner{Partner::Kind::rank, *in_world};
}

std::optional<std::uint32_t> Partners::world_rank(std::uint32_t communicator, std::uint32_t rank) {
  constexpr std::size_t max_communicators = 4096;
  auto known = communicators_.find(communicator);
  if (known == communicators_.end()) {
    // The names of a communicator come with a view; unknown ones are looked up again later.
    const MpiCommunicatorFacts facts = mpi_communicator_facts(*names_, communicator);
    if (facts.name.starts_with("MPI_COMM_WORLD")) return rank;
    if (facts.members.empty() || communicators_.size() >= max_communicators) return std::nullopt;
    known = communicators_.emplace(communicator, facts).first;
  }
  const MpiCommunicatorFacts& facts = known->second;
  const bool is_plain = facts.other_group.empty();
  return is_plain && rank < facts.members.size() ? std::optional(facts.members[rank]) : std::nullopt;
}

std::set<Partner> partners_of(Base base, const std::vector<std::uint32_t>& objects,
                              const ObservedObjects& observed) {
  std::set<Partner> partners;
  for (const std::uint32_t object : objects) {
    for (const std::uint32_t thread : observed.threads_of(base, object))
      partners.insert({Partner::Kind::thread, observed.threads()[thread].number});
    for (const std::uint32_t process : observed.processes_of(base, object)) {
      const auto rank = observed.processes()[process].rank;
      if (rank) partners.insert({Partner::Kind::rank, *rank});
    }
  }
  return partners;
}

}  // namespace eventspace::metrics
