#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "monitors/web/timeline/operation_store.h"

namespace eventspace::web {

/// A part of a timeline that a page asks for: some rows from a time on, in bins. Times are nanoseconds since
/// the origin of the store.
struct TileRequest {
  static constexpr std::size_t most_rows = 256;
  static constexpr std::uint32_t most_bins = 1024;
  static constexpr std::size_t most_operations = 1 << 15;
  static constexpr std::size_t most_arrows = 1500;

  std::int64_t from{0};
  std::int64_t width{1};  ///< of a bin
  std::uint32_t bins{256};
  std::vector<std::uint32_t> rows{};
  std::size_t operations{4096};  ///< the tile has operations if there are at most so many, otherwise bins

  [[nodiscard]] std::int64_t to() const noexcept { return from + width * bins; }
};

/// The answer: the operations themselves or, if they are too many to be seen, sums for each bin.
///
///     operations, few enough  --->  exact: all of them, with their gaps
///     otherwise               --->  the time of each class in each bin, and how many operations begin there;
///                                   gaps that are closer to each other than a bin are joined
struct Tile {
  struct Bin {
    std::uint32_t bin{0};
    OperationClass of{};
    std::uint32_t begun{0};
    std::int64_t ns{0};
  };
  struct RowGap {
    std::uint32_t row{0};
    OperationStore::Gap gap{};
    bool is_not_kept{false};  ///< the operations are in the recording, but not in the store
  };
  bool is_exact{true};
  std::vector<std::vector<const StoredOperation*>> operations{};  ///< by place in TileRequest::rows
  std::vector<std::vector<Bin>> bins{};                           ///< the same, by bin and class
  std::vector<RowGap> gaps{};
  std::vector<OperationStore::Message> messages{};
  std::uint64_t messages_left_out{0};
  std::vector<OperationStore::Join> joins{};
  std::uint64_t joins_left_out{0};
};

/// Makes a tile. The result points into the store. Requires valid rows and at most TileRequest's limits.
///
/// Reads the operations of the rows in the range, or where the bins are wide enough the sums that the store
/// keeps; a few milliseconds for millions of operations.
Tile make_tile(const OperationStore& store, const TileRequest& request);

/// The tile as JSON, in columns (docs/web.md).
std::string text_of(const OperationStore& store, const TileRequest& request, const Tile& tile);
/// All that a page needs to know before it asks for tiles, without the braces around it.
std::string rows_text(const OperationStore& store);

}  // namespace eventspace::web
