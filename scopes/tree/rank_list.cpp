#include "scopes/tree/rank_list.h"

#include "paths/views/rank_items.h"
#include "tuplespace/parsing/number_in.h"

namespace eventspace {
namespace {

using Ranks = std::span<const std::uint32_t>;

// How many of the first ranks are ascending and evenly spaced.
std::size_t even_ones(Ranks ranks) {
  if (ranks.size() < 2 || ranks[1] <= ranks[0]) return 1;
  const std::uint32_t step = ranks[1] - ranks[0];
  std::size_t count = 2;
  while (count < ranks.size() && ranks[count] > ranks[count - 1] && ranks[count] - ranks[count - 1] == step)
    ++count;
  // "0-1" is as long as "0,1"; with a step, two ranks are shorter without a range.
  return count == 2 && step != 1 ? 1 : count;
}

// The number in parentheses at the end of a name.
std::optional<std::uint32_t> size_in(std::string_view name) {
  const std::size_t open = name.rfind('(');
  if (!name.ends_with(')') || open == std::string_view::npos) return std::nullopt;
  return number_in<std::uint32_t>(name.substr(open + 1, name.size() - open - 2));
}

}  // namespace

std::string to_rank_list(Ranks ranks, std::size_t longest) {
  std::vector<RankItem> items;
  while (!ranks.empty()) {
    const Ranks even = ranks.first(even_ones(ranks));
    items.push_back({even.front(), even.back(), even.size() == 1 ? 1 : even[1] - even[0]});
    ranks = ranks.subspan(even.size());
  }
  return to_text(items, longest);
}

std::optional<std::vector<std::uint32_t>> parse_rank_list(std::string_view text, std::size_t most) {
  const auto items = parse_rank_items(text);
  if (!items) return std::nullopt;
  std::vector<std::uint32_t> ranks;
  for (const RankItem& item : *items) {
    if (item.ranks() > most - ranks.size()) return std::nullopt;
    for (std::size_t i = 0; i < item.ranks(); ++i)
      ranks.push_back(item.first + static_cast<std::uint32_t>(i) * item.step);
  }
  return ranks;
}

MpiCommunicatorFacts mpi_communicator_facts(const PlanNames& names, std::uint32_t number) {
  MpiCommunicatorFacts facts;
  facts.name = names.communicator_name(number);
  facts.size = size_in(facts.name);
  const std::string_view members = names.communicator_members(number);
  const std::size_t bar = members.find('|');
  facts.members = parse_rank_list(members.substr(0, bar)).value_or(std::vector<std::uint32_t>());
  if (bar != std::string_view::npos)
    facts.other_group = parse_rank_list(members.substr(bar + 1)).value_or(std::vector<std::uint32_t>());
  return facts;
}

}  // namespace eventspace
