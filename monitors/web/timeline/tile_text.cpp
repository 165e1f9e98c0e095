#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>

#include "monitors/text/json.h"
#include "monitors/web/timeline/timeline_tile.h"

namespace eventspace::web {
namespace {

/// Writes an object whose members are mostly arrays of numbers, without a tree of values in memory.
class ColumnWriter {
 public:
  explicit ColumnWriter(std::string& text) : text_(&text) {}

  void value(std::string_view name, std::int64_t number) {
    begin(name);
    fmt::format_to(std::back_inserter(*text_), "{}", number);
  }
  /// `each` calls its argument with the numbers of the column.
  template <class Each>
  void column(std::string_view name, Each each) {
    begin(name);
    *text_ += '[';
    bool is_first = true;
    each([&](auto number) {
      if (!is_first) *text_ += ',';
      is_first = false;
      fmt::format_to(std::back_inserter(*text_), "{}", number);
    });
    *text_ += ']';
  }

 private:
  void begin(std::string_view name) {
    fmt::format_to(std::back_inserter(*text_), "{}\"{}\":", text_->ends_with('{') ? "" : ",", name);
  }
  std::string* text_;
};

template <class Use>
void for_each_operation(const Tile& tile, Use use) {
  for (const auto& row : tile.operations)
    for (const StoredOperation* operation : row) use(*operation);
}

/// A column of numbers as differences to the one before in the row, which have fewer digits.
template <class Value>
void write_differences(std::string_view name, const Tile& tile, std::int64_t first, ColumnWriter& out,
                       Value value_of) {
  out.column(name, [&](auto add) {
    for (const auto& row : tile.operations) {
      std::int64_t before = first;
      for (const StoredOperation* operation : row) {
        const std::int64_t value = value_of(*operation);
        add(value - before);
        before = value;
      }
    }
  });
}

void write_operations(const TileRequest& request, const Tile& tile, ColumnWriter& out) {
  out.column("counts", [&](auto add) {
    for (const auto& row : tile.operations) add(row.size());
  });
  const auto each = [&](std::string_view name, auto value_of) {
    out.column(name,
               [&](auto add) { for_each_operation(tile, [&](const auto& one) { add(value_of(one)); }); });
  };
  write_differences("begin", tile, request.from, out, [](const StoredOperation& one) { return one.begin; });
  each("length", [](const StoredOperation& one) { return one.end - one.begin; });
  each("name", [](const StoredOperation& one) { return one.name; });
  each("look", [](const StoredOperation& one) {  // class, in flight, depth
    return static_cast<unsigned>(one.of) | unsigned{one.in_flight} << 3 | unsigned{one.depth} << 4;
  });
  each("path", [](const StoredOperation& one) { return one.place.path; });
  each("point", [](const StoredOperation& one) { return one.place.point; });
  write_differences("sequence", tile, 0, out,
                    [](const StoredOperation& one) { return static_cast<std::int64_t>(one.place.sequence); });
}

void write_bins(const TileRequest& request, const Tile& tile, ColumnWriter& out) {
  out.column("counts", [&](auto add) {
    for (const auto& row : tile.bins) add(row.size());
  });
  const auto each = [&](std::string_view name, auto value_of) {
    out.column(name, [&](auto add) {
      for (const auto& row : tile.bins)
        for (const Tile::Bin& bin : row) add(value_of(bin));
    });
  };
  each("bin", [](const Tile::Bin& bin) { return bin.bin; });
  each("class", [](const Tile::Bin& bin) { return static_cast<unsigned>(bin.of); });
  each("begun", [](const Tile::Bin& bin) { return bin.begun; });
  // A pixel cannot show more than a thousandth; time that is not nothing is at least one.
  each("share", [&](const Tile::Bin& bin) {
    const double share = 1000 * static_cast<double>(bin.ns) / static_cast<double>(request.width);
    return bin.ns > 0 ? std::max<std::int64_t>(std::llround(share), 1) : 0;
  });
}

void write_gaps(const Tile& tile, ColumnWriter& out) {
  out.column("gaps", [&](auto add) {
    for (const Tile::RowGap& lost : tile.gaps) {
      add(lost.row);
      add(lost.gap.begin);
      add(lost.gap.end);
      add(lost.gap.records);
      add(lost.is_not_kept ? 1 : 0);
    }
  });
}

void write_messages(const Tile& tile, ColumnWriter& out) {
  out.column("messages", [&](auto add) {
    for (const OperationStore::Message& message : tile.messages) {
      add(message.from);
      add(message.sent);
      add(message.to);
      add(message.received);
      add(message.certain ? 1 : 0);
    }
  });
}

// Members of one operation begin at nearly the same time, so that differences have half the digits.
void write_joins(const OperationStore& store, const Tile& tile, std::int64_t from, ColumnWriter& out) {
  out.column("joins", [&](auto add) {
    for (const OperationStore::Join& join : tile.joins) {
      add(join.count);
      std::int64_t before = from;
      for (std::size_t i = join.first; i < join.first + join.count; ++i) {
        const OperationStore::Member& member = store.members()[i];
        add(member.row);
        add(member.begin - before);
        before = member.begin;
      }
    }
  });
}

}  // namespace

std::string text_of(const OperationStore& store, const TileRequest& request, const Tile& tile) {
  std::string text = "{";
  ColumnWriter out(text);
  out.value("from", request.from);
  out.value("width", request.width);
  out.value("bins", request.bins);
  out.value("exact", tile.is_exact ? 1 : 0);
  out.column("rows", [&](auto add) {
    for (const std::uint32_t row : request.rows) add(row);
  });
  if (tile.is_exact) {
    write_operations(request, tile, out);
  } else {
    write_bins(request, tile, out);
  }
  write_gaps(tile, out);
  write_messages(tile, out);
  out.value("messages_left_out", static_cast<std::int64_t>(tile.messages_left_out));
  write_joins(store, tile, request.from, out);
  out.value("joins_left_out", static_cast<std::int64_t>(tile.joins_left_out));
  return text + "}";
}

std::string rows_text(const OperationStore& store) {
  Json rows = Json::array();
  for (const OperationStore::Row& row : store.rows()) {
    rows.add(Json::object({{"thread", row.thread},
                           {"process", row.process},
                           {"node", row.node},
                           {"rank", Json(row.rank)},
                           {"lane", row.lane},
                           {"events", row.events}}));
  }
  Json names = Json::array();
  for (const std::string& name : store.names()) names.add(name);
  Json classes = Json::array();
  for (const ClassWords& words : class_words)
    classes.add(Json::object({{"letter", std::string(1, words.letter)}, {"words", words.words}}));
  return fmt::format(
      "\"origin_ns\":{},\"length_ns\":{},\"events\":{},\"kept\":{},\"lost\":{},"
      "\"messages_left_out\":{},\"members_left_out\":{},\"rows\":{},\"names\":{},"
      "\"classes\":{}",
      store.origin_ns(), store.length_ns(), store.events(), store.kept(), store.lost(),
      store.messages_left_out(), store.members_left_out(), rows.dump(), names.dump(), classes.dump());
}

}  // namespace eventspace::web
