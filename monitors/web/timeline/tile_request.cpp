#include <algorithm>
#include <bit>

#include "monitors/web/timeline/timeline_desk.h"
#include "monitors/web/timeline/timeline_tile.h"
#include "tuplespace/parsing/number_in.h"

namespace eventspace::web {
namespace {

constexpr std::int64_t latest = std::int64_t{1} << 60;

std::optional<std::int64_t> number_of(const Request& request, std::string_view name, std::int64_t least,
                                      std::int64_t most) {
  const std::string* const text = request.parameter(name);
  if (text == nullptr) return std::nullopt;
  const auto number = number_in<std::int64_t>(*text);
  return number && *number >= least && *number <= most ? number : std::nullopt;
}

/// Takes the text before the next `mark`, and the mark.
std::string_view take_until(std::string_view& text, char mark) {
  std::size_t end = 0;
  while (end < text.size() && text[end] != mark) ++end;
  const std::string_view taken = text.substr(0, end);
  text.remove_prefix(std::min(end + 1, text.size()));
  return taken;
}

/// Adds the rows of "3" or "0-3"; false if they are not valid.
bool add_rows(std::string_view range, std::size_t rows, std::vector<std::uint32_t>& numbers) {
  const bool has_last = range.find('-') != std::string_view::npos;
  const auto first = number_in<std::uint32_t>(take_until(range, '-'));
  const auto last = has_last ? number_in<std::uint32_t>(range) : first;
  if (!first || !last || *first > *last || *last >= rows) return false;
  if (numbers.size() + (*last - *first) >= TileRequest::most_rows) return false;
  for (std::uint32_t row = *first; row <= *last; ++row) numbers.push_back(row);
  return true;
}

std::optional<std::vector<std::uint32_t>> rows_in(std::string_view list, std::size_t rows) {
  std::vector<std::uint32_t> numbers;
  while (!list.empty())
    if (!add_rows(take_until(list, ','), rows, numbers)) return std::nullopt;
  std::ranges::sort(numbers);
  numbers.erase(std::unique(numbers.begin(), numbers.end()), numbers.end());
  return numbers;
}

}  // namespace

// Bins are powers of two and begin at their multiples, so that the bins of neighbouring tiles meet.
std::optional<TileRequest> tile_request(const Request& request, std::size_t rows) {
  const auto from = number_of(request, "from", 0, latest);
  const auto to = number_of(request, "to", 1, latest);
  const auto pixels = number_of(request, "pixels", 1, TileRequest::most_bins);
  const std::string* const list = request.parameter("rows");
  if (!from || !to || *from >= *to || !pixels || list == nullptr) return std::nullopt;
  auto numbers = rows_in(*list, rows);
  if (!numbers || numbers->empty()) return std::nullopt;
  const auto least = static_cast<std::uint64_t>((*to - *from + *pixels - 1) / *pixels);
  TileRequest tile;
  tile.width = static_cast<std::int64_t>(std::bit_ceil(least));
  tile.from = *from - *from % tile.width;
  tile.bins = static_cast<std::uint32_t>((*to - tile.from + tile.width - 1) / tile.width);
  tile.rows = *std::move(numbers);
  return tile;
}

}  // namespace eventspace::web
