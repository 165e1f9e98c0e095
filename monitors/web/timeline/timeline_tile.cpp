#include "monitors/web/timeline/timeline_tile.h"

#include <algorithm>
#include <array>

namespace eventspace::web {
namespace {

using Row = OperationStore::Row;

// Returns false, with some of the operations, if there are more than `left`.
bool take_operations(const OperationStore& store, const Row& row, const TileRequest& request,
                     std::size_t& left, std::vector<const StoredOperation*>& taken) {
  bool is_whole = true;
  store.for_each(row, request.from, request.to(), [&](const StoredOperation& operation) {
    if (left == 0) return is_whole = false;
    --left;
    taken.push_back(&operation);
    return true;
  });
  return is_whole;
}

// `from`: the beginning of the request in `times`.
std::vector<Tile::Bin> bins_of(const ClassTimes& times, const TileRequest& request, std::int64_t from) {
  const std::int64_t first = from / times.width_ns();
  const std::int64_t each = request.width / times.width_ns();
  std::vector<Tile::Bin> bins;
  std::array<Tile::Bin, operation_classes> sums{};
  std::int64_t current = 0;
  const auto flush = [&] {
    for (Tile::Bin& sum : sums) {
      if (sum.ns != 0 || sum.begun != 0) bins.push_back(sum);
      sum = {};
    }
  };
  for (const ClassTimes::Entry& entry : times.entries(first, first + each * request.bins)) {
    const std::int64_t bin = (entry.bin - first) / each;
    if (bin != current) flush();
    current = bin;
    Tile::Bin& sum = sums[static_cast<std::size_t>(entry.of)];
    sum.bin = static_cast<std::uint32_t>(bin);
    sum.of = entry.of;
    sum.begun += entry.begun;
    sum.ns += entry.ns;
  }
  flush();
  return bins;
}

// Sums over the operations in the range, for bins narrower than the bins of the store. Bins and times count
// from the beginning of the request, as a number of bins since the origin may exceed 32 bits.
ClassTimes times_of_range(const OperationStore& store, const Row& row, const TileRequest& request) {
  ClassTimes times(request.width);
  std::vector<Row::Open> open;
  store.for_each(row, request.from, request.to(), [&](const StoredOperation& operation) {
    while (!open.empty() && open.back().end <= operation.begin) open.pop_back();
    const std::int64_t begin = std::max(operation.begin, request.from) - request.from;
    const std::int64_t end = std::min(operation.end, request.to()) - request.from;
    times.add(operation.of, begin, end, operation.begin >= request.from ? 1 : 0);
    if (!open.empty() && end > begin)
      times.take(open.back().of, begin, std::min(end, open.back().end - request.from));
    open.push_back({operation.end, operation.of});
    return true;
  });
  times.settle();
  return times;
}

void add_bins(const OperationStore& store, const TileRequest& request, Tile& tile) {
  tile.is_exact = false;
  tile.operations.clear();
  for (const std::uint32_t number : request.rows) {
    const Row& row = store.rows()[number];
    if (request.width >= row.times.width_ns()) {
      tile.bins.push_back(bins_of(row.times, request, request.from));
    } else {
      tile.bins.push_back(bins_of(times_of_range(store, row, request), request, 0));
    }
  }
}

void add_gaps(const Row& row, std::uint32_t number, const TileRequest& request, bool joins,
              std::vector<Tile::RowGap>& gaps) {
  auto gap = std::lower_bound(row.gaps.begin(), row.gaps.end(), request.from,
                              [](const OperationStore::Gap& a, std::int64_t time) { return a.end < time; });
  std::size_t first = gaps.size();
  for (; gap != row.gaps.end(); ++gap) {
    if (gap->begin >= request.to()) continue;  // a later gap may begin before
    if (joins && gaps.size() > first && gap->begin - gaps.back().gap.end < request.width) {
      gaps.back().gap.begin = std::min(gaps.back().gap.begin, gap->begin);
      gaps.back().gap.end = gap->end;
      gaps.back().gap.records += gap->records;
    } else {
      gaps.push_back({number, *gap});
    }
  }
}

void add_messages(const OperationStore& store, const TileRequest& request, Tile& tile) {
  const auto concerns = [&](std::uint32_t row) { return std::ranges::binary_search(request.rows, row); };
  const auto& all = store.messages();
  auto message =
      std::lower_bound(all.begin(), all.end(), request.from - store.longest_message(),
                       [](const OperationStore::Message& a, std::int64_t time) { return a.sent < time; });
  for (; message != all.end() && message->sent < request.to(); ++message) {
    if (std::max(message->received, message->sent) < request.from) continue;
    if (!concerns(message->from) && !concerns(message->to)) continue;
    if (tile.messages.size() >= TileRequest::most_arrows) {
      ++tile.messages_left_out;
    } else {
      tile.messages.push_back(*message);
    }
  }
  if (tile.messages_left_out == 0) return;
  tile.messages_left_out += tile.messages.size();  // a choice of them would mislead
  tile.messages.clear();
}

void add_joins(const OperationStore& store, const TileRequest& request, Tile& tile) {
  const auto& all = store.joins();
  auto join =
      std::lower_bound(all.begin(), all.end(), request.from - store.longest_join(),
                       [](const OperationStore::Join& a, std::int64_t time) { return a.begin < time; });
  std::size_t members = 0;
  for (; join != all.end() && join->begin < request.to(); ++join) {
    if (join->end < request.from) continue;
    members += join->count;
    if (members > TileRequest::most_arrows) {
      ++tile.joins_left_out;
    } else {
      tile.joins.push_back(*join);
    }
  }
  if (tile.joins_left_out == 0) return;
  tile.joins_left_out += tile.joins.size();
  tile.joins.clear();
}

}  // namespace

Tile make_tile(const OperationStore& store, const TileRequest& request) {
  Tile tile;
  std::size_t left = request.operations;
  for (const std::uint32_t number : request.rows) {
    const Row& row = store.rows()[number];
    tile.operations.emplace_back();
    const bool keeps_all = request.to() <= row.kept_until || request.width < row.times.width_ns();
    if (!keeps_all || !take_operations(store, row, request, left, tile.operations.back())) {
      add_bins(store, request, tile);
      break;
    }
  }
  for (const std::uint32_t number : request.rows) {
    const Row& row = store.rows()[number];
    add_gaps(row, number, request, !tile.is_exact, tile.gaps);
    if (request.width < row.times.width_ns() && request.to() > row.kept_until)
      tile.gaps.push_back({number, {std::max(row.kept_until, request.from), request.to(), 0}, true});
  }
  add_messages(store, request, tile);
  if (tile.is_exact) add_joins(store, request, tile);
  return tile;
}

}  // namespace eventspace::web
