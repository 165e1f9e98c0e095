#pragma once

#include <cstdint>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include "monitors/web/timeline/operation_store.h"

namespace eventspace::web {

/// Random operations, nested at random, some in flight at the end, with gaps and messages; and the same kept
/// plainly, for readers that look at every operation. Times are multiples of `unit`.
class RandomTimeline {
 public:
  static constexpr std::int64_t unit = 1024;
  static constexpr std::int64_t units = 3000;
  static constexpr std::int64_t begin_ns = 77'000'000;
  static constexpr std::int64_t length = unit * units;

  struct Plain {
    std::uint32_t row{0};
    StoredOperation operation{};
  };

  RandomTimeline(std::uint32_t seed, std::uint32_t rows, const OperationStore::Limits& limits = {})
      : random_(seed) {
    store = std::make_shared<OperationStore>(begin_ns, begin_ns + length, limits);
    for (std::uint32_t row = 0; row < rows; ++row) {
      store->add_row({.thread = "t" + std::to_string(row), .process = "p", .node = "n"});
      fill(row);
    }
    for (int i = 0; i < 200; ++i) {
      const std::int64_t sent = unit * number(0, units - 1);
      messages.push_back({number32(0, rows - 1), number32(0, rows - 1), sent,
                          std::min(length, sent + unit * number(0, 40)), true});
      OperationStore::Message absolute = messages.back();
      absolute.sent += begin_ns;
      absolute.received += begin_ns;
      store->add_message(absolute);
    }
    store->finish();
  }

  std::int64_t number(std::int64_t least, std::int64_t most) {
    return std::uniform_int_distribution<std::int64_t>(least, most)(random_);
  }
  std::uint32_t number32(std::int64_t least, std::int64_t most) {
    return static_cast<std::uint32_t>(number(least, most));
  }

  std::shared_ptr<OperationStore> store;
  std::vector<Plain> operations;
  std::vector<std::pair<std::uint32_t, OperationStore::Gap>> gaps;
  std::vector<OperationStore::Message> messages;

 private:
  void fill(std::uint32_t row) {
    std::int64_t at = number(0, 20);
    while (at < units) {
      if (number(0, 19) == 0) {
        const std::int64_t until = std::min(at + number(1, 50), units);
        gaps.push_back({row, {unit * at, unit * until, 3}});
        store->lose(row, begin_ns + unit * at, begin_ns + unit * until, 3);
        at = until;
        continue;
      }
      const std::int64_t end = number(0, 99) == 0 ? units : std::min(at + number(0, 30), units);
      add(row, at, end, 0);
      at = end + number(0, 8);
    }
  }
  void add(std::uint32_t row, std::int64_t begin, std::int64_t end, std::uint8_t depth) {
    StoredOperation operation{.begin = unit * begin, .end = unit * end};
    operation.place = {operations.size() + 1, row, 0};
    operation.of = static_cast<OperationClass>(number(0, operation_classes - 1));
    operation.depth = depth;
    operation.in_flight = end == units;
    operations.push_back({row, operation});
    StoredOperation absolute = operation;
    absolute.begin += begin_ns;
    absolute.end += begin_ns;
    absolute.name = store->name_number("operation");
    store->add(row, absolute);
    for (std::int64_t at = begin + number(0, 4); depth < 3 && at < end; at += number(0, 6)) {
      const std::int64_t inner = std::min(at + number(1, 6), end);
      add(row, at, inner, static_cast<std::uint8_t>(depth + 1));
      at = inner;
    }
  }

  std::mt19937 random_;
};

}  // namespace eventspace::web
