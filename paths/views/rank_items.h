#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace eventspace {

/// One item of the text of ranks, which is common to sets (paths/views/rank_set.h) and ordered lists
/// (scopes/tree/rank_list.h):
///
///     TEXT: nothing, or ITEM{,ITEM}     ITEM: "4", "4-8" or "4-8:2"
///
/// `first` <= `last` <= `most`, `step` > 0. The last rank of a range need not be in it: "0-8:3" is 0, 3, 6.
struct RankItem {
  /// So that a rank plus one still fits the type.
  static constexpr std::uint32_t most = std::numeric_limits<std::int32_t>::max();

  std::uint32_t first{0};
  std::uint32_t last{0};
  std::uint32_t step{1};
  [[nodiscard]] std::size_t ranks() const noexcept { return (last - first) / step + std::size_t{1}; }
};

/// Reads a text, which may come from outside. The result has at most as many items as half the bytes of the
/// text; an item may represent 2^31 ranks. Nullopt if the text is invalid.
std::optional<std::vector<RankItem>> parse_rank_items(std::string_view text);

/// Returns the text. If it were longer than `longest` bytes, it ends after a whole item with ",...", or is
/// "...", and cannot be parsed.
std::string to_text(std::span<const RankItem> items,
                    std::size_t longest = std::numeric_limits<std::size_t>::max());

}  // namespace eventspace
