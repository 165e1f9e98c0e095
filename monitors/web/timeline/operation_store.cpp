#include "monitors/web/timeline/operation_store.h"

#include <bit>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>

namespace eventspace::web {
namespace {

// The times of classes are kept in at most so many bins of a row. Tiles of wider bins are made of these.
constexpr std::int64_t most_bins = 1 << 14;

std::int64_t width_of(std::int64_t length) {
  const auto least = static_cast<std::uint64_t>(length / most_bins + 1);
  return static_cast<std::int64_t>(std::bit_ceil(least));  // bins of tiles are powers of two, too
}

bool is_digit(char letter) { return letter >= '0' && letter <= '9'; }

// Numbers as they compare: "t9" before "t10". Longer numbers are larger, as names have no leading zeros.
std::string in_order(std::string_view name) {
  std::string key;
  for (std::size_t at = 0; at < name.size();) {
    std::size_t end = at;
    while (end < name.size() && is_digit(name[end])) ++end;
    if (end > at) {
      key += static_cast<char>('0' + std::min<std::size_t>(end - at, 9));
      key += name.substr(at, end - at);
      at = end;
    } else {
      key += name[at++];
    }
  }
  return key;
}

}  // namespace

OperationStore::OperationStore(std::int64_t begin_ns, std::int64_t end_ns, const Limits& limits)
    : limits_(limits),
      origin_ns_(begin_ns),
      length_ns_(std::max<std::int64_t>(end_ns - begin_ns, 1)),
      width_ns_(width_of(length_ns_)) {}

std::uint32_t OperationStore::add_row(Row row) {
  row.times = ClassTimes(width_ns_);
  rows_.push_back(std::move(row));
  return static_cast<std::uint32_t>(rows_.size() - 1);
}

std::uint32_t OperationStore::name_number(std::string_view name) {
  const auto known = name_numbers_.find(name);
  if (known != name_numbers_.end()) return known->second;
  const auto number = static_cast<std::uint32_t>(names_.size());
  names_.emplace_back(name);
  name_numbers_.emplace(name, number);
  return number;
}

void OperationStore::add(std::uint32_t number, StoredOperation operation) {
  Row& row = rows_[number];
  operation.begin = std::clamp<std::int64_t>(operation.begin - origin_ns_, 0, length_ns_);
  operation.end = std::clamp(operation.end - origin_ns_, operation.begin, length_ns_);
  while (!row.open.empty() && row.open.back().end <= operation.begin) row.open.pop_back();
  operation.depth = static_cast<std::uint8_t>(std::min<std::size_t>(row.open.size(), 255));
  count_times(row, operation);
  row.open.push_back({operation.end, operation.of});
  ++row.events;
  ++events_;
  if (kept_ >= limits_.operations) {
    row.kept_until = std::min(row.kept_until, operation.begin);
    return;
  }
  ++kept_;
  if (row.operations.size() % block == 0) row.latest_ends.push_back(operation.end);
  row.latest_ends.back() = std::max(row.latest_ends.back(), operation.end);
  row.operations.push_back(operation);
}

void OperationStore::count_times(Row& row, const StoredOperation& operation) {
  row.times.add(operation.of, operation.begin, operation.end);
  if (!row.open.empty() && operation.end > operation.begin)
    row.times.take(row.open.back().of, operation.begin, std::min(operation.end, row.open.back().end));
  constexpr std::size_t between_checks = 1 << 16;
  if (++until_check_ < between_checks) return;
  until_check_ = 0;
  const auto size = [this] {
    std::size_t entries = 0;
    for (Row& each : rows_) {
      each.times.settle();
      entries += each.times.size();
    }
    return entries;
  };
  while (size() > limits_.entries && width_ns_ < length_ns_) {
    width_ns_ *= 2;
    for (Row& each : rows_) each.times.coarsen();
  }
}

void OperationStore::lose(std::uint32_t row, std::int64_t begin_ns, std::int64_t end_ns,
                          std::uint64_t records) {
  lost_ += records;
  const std::int64_t end = std::clamp<std::int64_t>(end_ns - origin_ns_, 0, length_ns_);
  // Without an event before them, they may have been at any time until then.
  const std::int64_t begin = begin_ns >= end_ns ? 0 : std::clamp<std::int64_t>(begin_ns - origin_ns_, 0, end);
  auto& gaps = rows_[row].gaps;
  if (gaps_ >= limits_.gaps && !gaps.empty()) {  // one gap that has room for both
    gaps.back().end = std::max(end, gaps.back().end);
    gaps.back().records += records;
    return;
  }
  ++gaps_;
  gaps.push_back({begin, end, records});
}

void OperationStore::add_message(Message message) {
  if (messages_.size() >= limits_.messages) {
    ++messages_left_out_;
    return;
  }
  message.sent = std::clamp<std::int64_t>(message.sent - origin_ns_, 0, length_ns_);
  message.received = std::clamp<std::int64_t>(message.received - origin_ns_, 0, length_ns_);
  longest_message_ = std::max(longest_message_, message.received - message.sent);
  messages_.push_back(message);
}

void OperationStore::add_member(Member member) {
  if (members_.size() >= limits_.members) {
    ++members_left_out_;
    return;
  }
  member.begin = std::clamp<std::int64_t>(member.begin - origin_ns_, 0, length_ns_);
  member.end = std::clamp<std::int64_t>(member.end - origin_ns_, 0, length_ns_);
  members_.push_back(member);
}

void OperationStore::finish() {
  for (Row& row : rows_) {
    row.times.settle();
    row.open.clear();
    std::ranges::stable_sort(row.gaps, {}, &Gap::end);
  }
  sort_rows();
  std::ranges::sort(messages_, {}, [](const Message& m) { return std::tuple(m.sent, m.from, m.to); });
  make_joins();
}

void OperationStore::sort_rows() {
  std::vector<std::uint32_t> order(rows_.size());
  for (std::uint32_t i = 0; i < order.size(); ++i) order[i] = i;
  std::ranges::stable_sort(order, {}, [this](std::uint32_t i) {
    const Row& row = rows_[i];
    return std::tuple(row.rank.value_or(~0u), in_order(row.process), in_order(row.thread), row.lane);
  });
  std::vector<std::uint32_t> place(rows_.size());
  std::vector<Row> sorted;
  sorted.reserve(rows_.size());
  for (const std::uint32_t old : order) {
    place[old] = static_cast<std::uint32_t>(sorted.size());
    sorted.push_back(std::move(rows_[old]));
  }
  rows_ = std::move(sorted);
  for (Message& message : messages_) {
    message.from = place[message.from];
    message.to = place[message.to];
  }
  for (Member& member : members_) member.row = place[member.row];
}

void OperationStore::make_joins() {
  std::ranges::sort(members_, {}, [](const Member& m) { return std::tuple(m.key, m.row, m.begin); });
  for (std::size_t first = 0; first < members_.size();) {
    Join join{members_[first].begin, members_[first].end, first, 0};
    while (first < members_.size() && members_[first].key == members_[join.first].key) {
      join.begin = std::min(join.begin, members_[first].begin);
      join.end = std::max(join.end, members_[first].end);
      ++join.count;
      ++first;
    }
    if (join.count < 2) continue;
    longest_join_ = std::max(longest_join_, join.end - join.begin);
    joins_.push_back(join);
  }
  std::ranges::sort(joins_, {}, &Join::begin);
}

}  // namespace eventspace::web
