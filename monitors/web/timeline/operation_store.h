#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "monitors/web/timeline/class_times.h"
#include "monitors/web/timeline/operation_class.h"

namespace eventspace::web {

/// The record of an operation: enough to find it again in its recording.
struct RecordPlace {
  std::uint64_t sequence{0};
  std::uint32_t path{0};
  std::uint16_t point{0};
  friend bool operator==(const RecordPlace&, const RecordPlace&) = default;
};

/// An operation of a row. Times are nanoseconds since OperationStore::origin_ns().
struct StoredOperation {
  std::int64_t begin{0};
  std::int64_t end{0};
  RecordPlace place{};
  std::uint32_t name{0};  ///< in OperationStore::names()
  OperationClass of{OperationClass::other};
  std::uint8_t depth{0};  ///< 0: not inside another operation of its row
  bool in_flight{false};  ///< had not ended; `end` is the end of the recording
};

/// The operations of a recording by row and time, in memory, for a timeline. A row has the operations
/// of one track of an export (monitors/export/reading/model.h): nested or disjoint.
///
///     add_row, add, lose, send, receive, join ---> finish() ---> tiles (timeline_tile.h)
///
/// Keeps at most `Limits::operations` operations; of further ones only the times of classes in bins, and
/// where a tile would need more, it says so. Filled by one thread; const functions are thread-safe after
/// finish().
class OperationStore {
 public:
  struct Limits {
    std::size_t operations{std::size_t{8} << 20};  ///< 48 bytes each
    std::size_t entries{std::size_t{4} << 20};     ///< of ClassTimes of all rows, 24 bytes each
    std::size_t messages{std::size_t{2} << 20};
    std::size_t members{std::size_t{2} << 20};  ///< of collective operations
    std::size_t gaps{std::size_t{1} << 18};
  };
  struct Gap {
    std::int64_t begin{0};
    std::int64_t end{0};
    std::uint64_t records{0};
  };
  struct Row {
    std::string thread;
    std::string process;
    std::string node;
    std::int32_t pid{0};
    std::uint32_t lane{0};
    std::optional<std::uint32_t> rank{};
    std::vector<StoredOperation> operations{};  ///< by begin; of those that begin together, outer ones first
    std::vector<std::int64_t> latest_ends{};    ///< of each block of `block` operations
    std::vector<Gap> gaps{};                    ///< by end
    ClassTimes times{1};
    std::uint64_t events{0};  ///< all, also those that are not kept
    std::int64_t kept_until{
        std::numeric_limits<std::int64_t>::max()};  ///< begin of the first that is not kept
    struct Open {
      std::int64_t end{0};
      OperationClass of{};
    };
    std::vector<Open> open{};  ///< operations around the next one, while the store is filled
  };
  static constexpr std::size_t block = 64;
  /// A message from one row to another; an end whose partner is not known is left out.
  struct Message {
    std::uint32_t from{0};
    std::uint32_t to{0};
    std::int64_t sent{0};
    std::int64_t received{0};
    bool certain{true};
  };
  /// A participation in a collective operation. Participations in one operation have the same key.
  struct Member {
    std::uint64_t key{0};
    std::uint32_t row{0};
    std::int64_t begin{0};
    std::int64_t end{0};
  };
  struct Join {
    std::int64_t begin{0};  ///< of the first member
    std::int64_t end{0};    ///< of the last one
    std::size_t first{0};   ///< in members()
    std::size_t count{0};
  };

  /// `begin_ns`: a time at or before all that is added; `end_ns`: the end of the recording.
  OperationStore(std::int64_t begin_ns, std::int64_t end_ns) : OperationStore(begin_ns, end_ns, Limits()) {}
  OperationStore(std::int64_t begin_ns, std::int64_t end_ns, const Limits& limits);

  std::uint32_t add_row(Row row);
  std::uint32_t name_number(std::string_view name);
  /// Times of the following are nanoseconds of the recorder's clock, as begin_ns is. Operations of a row come
  /// by begin, outer ones first.
  void add(std::uint32_t row, StoredOperation operation);
  void lose(std::uint32_t row, std::int64_t begin_ns, std::int64_t end_ns, std::uint64_t records);
  void add_message(Message message);
  void add_member(Member member);
  /// Counts messages whose ends were not kept until both were known.
  void leave_out_messages(std::uint64_t count) { messages_left_out_ += count; }
  /// Also sorts the rows: by rank or process, then by thread; a number within a name counts as a number.
  void finish();

  [[nodiscard]] std::int64_t origin_ns() const noexcept { return origin_ns_; }
  [[nodiscard]] std::int64_t length_ns() const noexcept { return length_ns_; }
  [[nodiscard]] const std::vector<Row>& rows() const noexcept { return rows_; }
  [[nodiscard]] const std::vector<std::string>& names() const noexcept { return names_; }
  [[nodiscard]] const std::vector<Message>& messages() const noexcept { return messages_; }  ///< by `sent`
  [[nodiscard]] const std::vector<Member>& members() const noexcept { return members_; }
  [[nodiscard]] const std::vector<Join>& joins() const noexcept { return joins_; }  ///< by begin
  [[nodiscard]] std::uint64_t events() const noexcept { return events_; }
  [[nodiscard]] std::uint64_t kept() const noexcept { return kept_; }
  [[nodiscard]] std::uint64_t lost() const noexcept { return lost_; }
  /// Messages, and participations in collective operations, beyond the limits; of messages at most so many.
  [[nodiscard]] std::uint64_t messages_left_out() const noexcept { return messages_left_out_; }
  [[nodiscard]] std::uint64_t members_left_out() const noexcept { return members_left_out_; }
  /// The longest time from a message's send to its receive, and of a join: bounds of searches.
  [[nodiscard]] std::int64_t longest_message() const noexcept { return longest_message_; }
  [[nodiscard]] std::int64_t longest_join() const noexcept { return longest_join_; }

  /// Calls `use` with the operations of the row that overlap [from, to), by begin, until it returns false. An
  /// operation without length overlaps if it begins there.
  template <class Use>
  void for_each(const Row& row, std::int64_t from, std::int64_t to, Use use) const;

 private:
  void count_times(Row& row, const StoredOperation& operation);
  void sort_rows();
  void make_joins();

  Limits limits_;
  std::int64_t origin_ns_;
  std::int64_t length_ns_;
  std::int64_t width_ns_;  // of new rows' bins
  std::vector<Row> rows_;
  std::vector<std::string> names_;
  std::map<std::string, std::uint32_t, std::less<>> name_numbers_;
  std::vector<Message> messages_;
  std::vector<Member> members_;
  std::vector<Join> joins_;
  std::uint64_t events_{0};
  std::uint64_t kept_{0};
  std::uint64_t lost_{0};
  std::uint64_t messages_left_out_{0};
  std::uint64_t members_left_out_{0};
  std::size_t gaps_{0};
  std::size_t until_check_{0};
  std::int64_t longest_message_{0};
  std::int64_t longest_join_{0};
};

template <class Use>
void OperationStore::for_each(const Row& row, std::int64_t from, std::int64_t to, Use use) const {
  const auto& all = row.operations;
  for (std::size_t b = 0; b < row.latest_ends.size(); ++b) {
    const std::size_t first = b * block;
    if (all[first].begin >= to) return;
    if (row.latest_ends[b] < from) continue;
    const std::size_t last = std::min(first + block, all.size());
    for (std::size_t i = first; i < last && all[i].begin < to; ++i) {
      const bool overlaps = all[i].end > from || (all[i].begin == all[i].end && all[i].begin >= from);
      if (overlaps && !use(all[i])) return;
    }
  }
}

}  // namespace eventspace::web
