#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "monitors/web/report/page_file.h"
#include "monitors/web/timeline/operation_store.h"

namespace eventspace::web {

/// The tiles of a whole timeline, as a page asks for them (assets/timeline/tiles.js), so that a report shows
/// it without a server. The tiles of a level have half the width of those before; a tile with all of its
/// operations needs none below it.
struct TileTree {
  std::vector<DataBlock> tiles{};  ///< "tile/GROUP/LEVEL/INDEX"
  std::uint32_t deepest{0};        ///< the last level
  std::int64_t finest_ns{0};       ///< width of its bins if operations are missing below; 0: all are there
  std::size_t bytes{0};
};

/// Makes as many levels as fit into `most_bytes`, at least the first.
TileTree tile_tree(const OperationStore& store, std::size_t most_bytes);

}  // namespace eventspace::web
