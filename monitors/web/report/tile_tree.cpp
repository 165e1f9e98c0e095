#include "monitors/web/report/tile_tree.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <iterator>
#include <utility>

#include "monitors/web/report/packed.h"
#include "monitors/web/timeline/timeline_tile.h"

namespace eventspace::web {
namespace {

// As in assets/timeline/tiles.js.
constexpr std::uint32_t bins = 256;
constexpr std::uint32_t rows_of_group = 16;
// Larger tiles take longer to unpack and to draw; smaller ones repeat more of what crosses their ends.
constexpr std::size_t most_operations = 8192;

struct Place {
  std::uint32_t group{0};
  std::int64_t index{0};
};

TileRequest request_for(const OperationStore& store, const Place& place, std::int64_t span) {
  TileRequest request{.from = place.index * span, .width = span / bins, .bins = bins};
  request.operations = most_operations;
  const auto rows = static_cast<std::uint32_t>(store.rows().size());
  const std::uint32_t last = std::min(rows, (place.group + 1) * rows_of_group);
  for (std::uint32_t row = place.group * rows_of_group; row < last; ++row) request.rows.push_back(row);
  return request;
}

/// A level of the tree, and the places of the next one that are needed.
struct Level {
  std::vector<DataBlock> tiles{};
  std::vector<Place> below{};
  std::size_t bytes{0};
};

Level level_of(const OperationStore& store, const std::vector<Place>& places, std::uint32_t number,
               std::int64_t span, std::size_t most_bytes) {
  Level level;
  for (const Place& place : places) {
    const TileRequest request = request_for(store, place, span);
    if (request.from > store.length_ns()) continue;
    const Tile tile = make_tile(store, request);
    level.tiles.push_back({fmt::format("tile/{}/{}/{}", place.group, number, place.index),
                           packed(text_of(store, request, tile))});
    level.bytes += level.tiles.back().text.size();
    if (level.bytes > most_bytes) break;  // the level does not fit
    if (tile.is_exact) continue;
    level.below.push_back({place.group, 2 * place.index});
    level.below.push_back({place.group, 2 * place.index + 1});
  }
  return level;
}

}  // namespace

TileTree tile_tree(const OperationStore& store, std::size_t most_bytes) {
  const auto least = static_cast<std::uint64_t>((store.length_ns() + bins - 1) / bins);
  std::int64_t span = static_cast<std::int64_t>(std::bit_ceil(least)) * bins;
  std::vector<Place> places;
  for (std::uint32_t group = 0; std::size_t{group} * rows_of_group < store.rows().size(); ++group)
    places.push_back({group, 0});
  TileTree tree;
  for (std::uint32_t number = 0; !places.empty() && span >= bins; ++number, span /= 2) {
    Level level = level_of(store, places, number, span, number == 0 ? SIZE_MAX : most_bytes - tree.bytes);
    if (number > 0 && tree.bytes + level.bytes > most_bytes) {
      tree.finest_ns = 2 * span / bins;
      break;
    }
    tree.deepest = number;
    tree.bytes += level.bytes;
    std::ranges::move(level.tiles, std::back_inserter(tree.tiles));
    places = std::move(level.below);
    most_bytes = std::max(most_bytes, tree.bytes);
  }
  return tree;
}

}  // namespace eventspace::web
