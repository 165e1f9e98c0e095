#pragma once

#include <cstddef>
#include <initializer_list>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "tuplespace/trace/trace_element.h"

namespace eventspace {

/// Records of one message, in the memory that the message was received in.
struct RecordBlock {
  std::shared_ptr<const void> memory;  ///< keeps the bytes
  std::span<const std::byte> bytes;    ///< whole trace tuples in this machine's byte order, at any address
};

/// The records of a view, in order. Used like a vector:
///
///     for (const TraceTuple& tuple : view.records) ...
///     erase_if(view.records, [](const TraceTuple& tuple) { ... });
///
/// Records that came with a message stay in it, so that a server that only forwards them does not copy:
///
///     | block | block | ... | own |        pieces() yields these, in this order
///
/// The first access to a record copies all blocks into one vector, `own`. size(), empty(), pieces(), append
/// and put_in_front do not access records. Iterators and references are valid until the next change; pieces
/// only until the first access.
///
/// Not thread-safe, not even for two const accesses, because the first one copies. The records that
/// EventScope::pull returns have been copied already.
class Records {
 public:
  using value_type = TraceTuple;
  using const_iterator = const TraceTuple*;
  using iterator = TraceTuple*;

  Records() = default;
  Records(std::vector<TraceTuple> records) noexcept
      : own_(std::move(records)) {}  // NOLINT: as a vector would
  Records(std::initializer_list<TraceTuple> records) : own_(records) {}

  [[nodiscard]] std::size_t size() const noexcept;
  [[nodiscard]] bool empty() const noexcept { return own_.empty() && blocks_.empty(); }
  /// The number of records outside of blocks.
  [[nodiscard]] std::size_t own_size() const noexcept { return own_.size(); }
  /// The memory of all records, to be sent without copying it.
  [[nodiscard]] std::vector<std::span<const std::byte>> pieces() const;

  /// All records as a vector, to read or to change.
  [[nodiscard]] const std::vector<TraceTuple>& whole() const {
    if (!blocks_.empty()) collect();
    return own_;
  }
  [[nodiscard]] std::vector<TraceTuple>& whole() {
    if (!blocks_.empty()) collect();
    return own_;
  }
  /// The records outside of blocks, which come last: records can be appended here without accessing the
  /// others.
  [[nodiscard]] std::vector<TraceTuple>& own() noexcept { return own_; }

  // In end(), whole() comes first: it may change the size.
  [[nodiscard]] const TraceTuple* begin() const { return whole().data(); }
  [[nodiscard]] const TraceTuple* end() const {
    const std::vector<TraceTuple>& all = whole();
    return all.data() + all.size();
  }
  [[nodiscard]] TraceTuple* begin() { return whole().data(); }
  [[nodiscard]] TraceTuple* end() {
    std::vector<TraceTuple>& all = whole();
    return all.data() + all.size();
  }
  [[nodiscard]] const TraceTuple* data() const { return whole().data(); }
  [[nodiscard]] TraceTuple* data() { return whole().data(); }
  [[nodiscard]] const TraceTuple& operator[](std::size_t place) const { return whole()[place]; }
  [[nodiscard]] TraceTuple& operator[](std::size_t place) { return whole()[place]; }
  [[nodiscard]] const TraceTuple& at(std::size_t place) const { return whole().at(place); }
  [[nodiscard]] const TraceTuple& front() const { return whole().front(); }
  [[nodiscard]] const TraceTuple& back() const { return whole().back(); }

  void push_back(const TraceTuple& record) { own_.push_back(record); }
  void clear() noexcept;
  /// Appends the records of a block, which must not be empty, without copying them.
  void append(RecordBlock block);
  /// Leaves `other` empty.
  void append(Records&& other);
  void put_in_front(std::span<const RecordBlock> blocks);

  friend bool operator==(const Records& a, const Records& b) { return a.whole() == b.whole(); }

 private:
  void collect() const;
  void make_own_a_block();

  // mutable: an access moves records from the first to the second, which changes neither the records nor
  // their order.
  mutable std::vector<RecordBlock> blocks_;  // of records that come before own_; none is empty
  mutable std::vector<TraceTuple> own_;
};

/// Like std::erase_if; returns the number of erased records.
template <class Predicate>
std::size_t erase_if(Records& records, Predicate predicate) {
  return std::erase_if(records.whole(), std::move(predicate));
}

}  // namespace eventspace
