#include "paths/views/rank_items.h"

#include "tuplespace/parsing/number_in.h"

namespace eventspace {
namespace {

// Takes a number from the front of `text`.
std::optional<std::uint32_t> take_rank(std::string_view& text) {
  const auto rank = take_number<std::uint32_t>(text);
  return rank && *rank <= RankItem::most ? rank : std::nullopt;
}

bool take(std::string_view& text, char c) {
  if (!text.starts_with(c)) return false;
  text.remove_prefix(1);
  return true;
}

std::optional<RankItem> take_item(std::string_view& text) {
  const auto first = take_rank(text);
  if (!first) return std::nullopt;
  RankItem item{*first, *first, 1};
  if (!take(text, '-')) return item;
  const auto last = take_rank(text);
  if (!last || *last < *first) return std::nullopt;
  item.last = *last;
  if (!take(text, ':')) return item;
  const auto step = take_rank(text);
  if (!step || *step == 0) return std::nullopt;
  item.step = *step;
  return item;
}

std::string text_of(const RankItem& item) {
  std::string text = std::to_string(item.first);
  if (item.last != item.first) text += '-' + std::to_string(item.last);
  if (item.step != 1) text += ':' + std::to_string(item.step);
  return text;
}

}  // namespace

std::optional<std::vector<RankItem>> parse_rank_items(std::string_view text) {
  std::vector<RankItem> items;
  if (text.empty()) return items;
  do {
    const auto item = take_item(text);
    if (!item) return std::nullopt;
    items.push_back(*item);
  } while (take(text, ','));
  return text.empty() ? std::optional(std::move(items)) : std::nullopt;
}

std::string to_text(std::span<const RankItem> items, std::size_t longest) {
  constexpr std::string_view cut = ",...";
  std::string text;
  std::size_t fits = 0;  // bytes of `text` that leave room for the cut
  for (const RankItem& item : items) {
    if (!text.empty()) text += ',';
    text += text_of(item);
    if (text.size() > longest) return text.substr(0, fits) + std::string(fits == 0 ? cut.substr(1) : cut);
    if (text.size() + cut.size() <= longest) fits = text.size();
  }
  return text;
}

}  // namespace eventspace
