#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "scopes/tree/plan_names.h"

namespace eventspace {

/// The text of a list of ranks in the order of RankItem (paths/views/rank_items.h). Ranges of ascending ranks
/// are joined, with a step where they are evenly spaced: "0-3,8,16-30:2". Ranks are at most RankItem::most. A
/// text that would be longer than `longest` bytes ends with "...".
std::string to_rank_list(std::span<const std::uint32_t> ranks, std::size_t longest);

/// Parses such a text. Returns nothing if the text is malformed, ends with "...", or has more than `most`
/// ranks.
std::optional<std::vector<std::uint32_t>> parse_rank_list(std::string_view text, std::size_t most = 1U << 20);

/// The known facts about a communicator of an MPI program.
struct MpiCommunicatorFacts {
  std::string_view name;                ///< as PlanNames::communicator_name
  std::optional<std::uint32_t> size{};  ///< number of its processes, in both groups
  /// By rank in the communicator, the rank in MPI_COMM_WORLD. For an intercommunicator, by rank in one group
  /// and in the other; a process finds its local group by its own rank. Empty if they are not known or were
  /// too many for the text.
  std::vector<std::uint32_t> members;
  std::vector<std::uint32_t> other_group;
};
/// `number`: as in records of MPI calls.
MpiCommunicatorFacts mpi_communicator_facts(const PlanNames& names, std::uint32_t number);

}  // namespace eventspace
