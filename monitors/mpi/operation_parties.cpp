#include "monitors/mpi/operation_parties.h"

#include <algorithm>
#include <array>
#include <compare>
#include <cstdint>
#include <iterator>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "collectors/mpi/mpi_text.h"
#include "monitors/mpi/job_groups.h"

namespace eventspace {
namespace {

/// The properties of a call that all members of its operation must agree on.
struct Agreement {
  std::string function;
  std::optional<std::uint32_t> root;
  std::uint64_t bytes{0};
  friend auto operator<=>(const Agreement&, const Agreement&) = default;  // NOLINT(modernize-use-nullptr)
};

// Bytes are compared where the standard requires the same from all members. 0 is ignored, because
// MPI_IN_PLACE also counts as 0 bytes.
Agreement agreement_of(const JobCall& call) {
  static constexpr std::array<std::string_view, 9> same_bytes{
      "Bcast", "Reduce", "Allreduce", "Scan", "Exscan", "Gather", "Allgather", "Alltoall", "Scatter"};
  Agreement agreement{name_of_mpi_call(call.function), call.root, 0};
  std::string_view name = agreement.function;
  if (name.starts_with("MPI_")) name.remove_prefix(4);
  if (name.ends_with("_c")) name.remove_suffix(2);
  if (std::ranges::find(same_bytes, name) != same_bytes.end()) agreement.bytes = call.bytes;
  return agreement;
}

using Parties = std::map<Agreement, RankSet>;

bool awaits_operation(const JobCall& call) {
  return std::ranges::any_of(
      call.awaits, [](const AwaitedPart& part) { return part.what == AwaitedPart::What::collective; });
}

// A party without bytes joins the first party that differs only in its bytes.
void ignore_unknown_bytes(Parties& parties) {
  for (auto party = parties.begin(); party != parties.end();) {
    const auto next = std::next(party);
    const bool joins = next != parties.end() && party->first.bytes == 0 &&
                       next->first.function == party->first.function && next->first.root == party->first.root;
    if (joins) next->second = next->second | party->second;
    party = joins ? parties.erase(party) : next;
  }
}

}  // namespace

std::vector<RankSet> parties_of(const JobOperation& operation, const JobLook& look, const JobGraph& graph) {
  Parties parties;
  const auto add_to = [&](std::uint32_t rank, const JobCall& call) {
    if (call.of == MpiClass::collective || call.of == MpiClass::manage) parties[agreement_of(call)].add(rank);
  };
  if (const auto calls = look.calls.find(operation); calls != look.calls.end())
    for (const auto& [rank, call] : calls->second) add_to(rank, call);
  for (const std::uint32_t rank : graph.present_in(operation).ranks()) {
    const JobCall* const call = waiting_call(look.ranks[rank]);
    if (call != nullptr && awaits_operation(*call)) add_to(rank, *call);
  }
  ignore_unknown_bytes(parties);
  std::vector<RankSet> sets;
  for (const auto& party : parties) sets.push_back(party.second);
  std::ranges::sort(sets, [](const RankSet& a, const RankSet& b) {
    return std::pair(b.size(), a.at(0)) < std::pair(a.size(), b.at(0));
  });
  return sets;
}

}  // namespace eventspace
