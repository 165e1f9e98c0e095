#include "scopes/tree/rank_list.h"

#include <fmt/format.h>

#include <charconv>

namespace eventspace {
namespace {

using Ranks = std::span<const std::uint32_t>;

// How many of the first ranks lie evenly apart, in ascending order.
std::size_t even_ones(Ranks ranks) {
  if (ranks.size() < 2 || ranks[1] <= ranks[0]) return 1;
  const std::uint32_t step = ranks[1] - ranks[0];
  std::size_t count = 2;
  while (count < ranks.size() && ranks[count] > ranks[count - 1] && ranks[count] - ranks[count - 1] == step)
    ++count;
  // "0-1" is as long as "0,1"; with a step, two ranks are shorter without a range.
  return count == 2 && step != 1 ? 1 : count;
}

std::string item_of(Ranks even) {
  if (even.size() == 1) return fmt::format("{}", even.front());
  const std::uint32_t step = even[1] - even[0];
  std::string text = fmt::format("{}-{}", even.front(), even.back());
  return step == 1 ? text : text + fmt::format(":{}", step);
}

std::optional<std::uint32_t> take_number(std::string_view& text) {
  std::uint32_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc()) return std::nullopt;
  text.remove_prefix(static_cast<std::size_t>(end - text.data()));
  return number;
}

bool take(std::string_view& text, char what) {
  if (!text.starts_with(what)) return false;
  text.remove_prefix(1);
  return true;
}

// Appends the ranks of one item, which it takes from the text. Returns false if it is none.
bool take_item(std::string_view& text, std::size_t most, std::vector<std::uint32_t>& ranks) {
  const auto first = take_number(text);
  if (!first) return false;
  auto last = first;
  std::optional<std::uint32_t> step = 1;
  if (take(text, '-')) {
    last = take_number(text);
    if (take(text, ':')) step = take_number(text);
  }
  if (!last || !step || *step == 0 || *last < *first) return false;
  if ((*last - *first) / *step + std::size_t{1} > most - ranks.size()) return false;
  for (std::uint64_t rank = *first; rank <= *last; rank += *step)
    ranks.push_back(static_cast<std::uint32_t>(rank));
  return true;
}

// The number in parentheses at the end of a name.
std::optional<std::uint32_t> size_in(std::string_view name) {
  const std::size_t open = name.rfind('(');
  if (!name.ends_with(')') || open == std::string_view::npos) return std::nullopt;
  std::string_view inside = name.substr(open + 1);
  const auto size = take_number(inside);
  return inside == ")" ? size : std::nullopt;
}

}  // namespace

std::string to_rank_list(Ranks ranks, std::size_t longest) {
  constexpr std::string_view more = "...";
  std::string text;
  while (!ranks.empty()) {
    const std::size_t count = even_ones(ranks);
    const std::string item = item_of(ranks.first(count));
    if (text.size() + item.size() + 2 + more.size() > longest) return text + (text.empty() ? "..." : ",...");
    if (!text.empty()) text += ',';
    text += item;
    ranks = ranks.subspan(count);
  }
  return text;
}

std::optional<std::vector<std::uint32_t>> parse_rank_list(std::string_view text, std::size_t most) {
  std::vector<std::uint32_t> ranks;
  if (text.empty()) return ranks;
  do {
    if (!take_item(text, most, ranks)) return std::nullopt;
  } while (take(text, ','));
  return text.empty() ? std::optional(std::move(ranks)) : std::nullopt;
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
