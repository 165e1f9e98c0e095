#include "scopes/wrappers/collective_wrapper.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <set>

#include "collectors/event_record.h"
#include "scopes/wrappers/collective_layout.h"
#include "tests/scopes/scope_talk.h"

namespace eventspace {
namespace {

/// Collective 0: paths 1 to 3 of threads in process 0 lead to joint 5 in that process. Its uplink, path 4,
/// leads to joint 6 on a server, process 9, and so does path 7 of a thread in process 1.
class CollectiveNames : public test::PlainNames {
 public:
  [[nodiscard]] std::vector<CollectivePath> collective_paths() const override {
    return {{4, 0, 6, 5}, {7, 0, 6, {}}, {1, 0, 5, {}}, {2, 0, 5, {}}, {3, 0, 5, {}}};
  }
  [[nodiscard]] std::optional<SourceRef> source_of(std::uint32_t path, std::uint16_t point) const override {
    if (path == 0 || path > 7 || path == 5 || path == 6 || point > 1) return std::nullopt;
    if (path == not_collected && point == 1) return std::nullopt;
    if (path == 7) return SourceRef{2 * path + point, point == 0 ? 1u : 9u};
    return SourceRef{2 * path + point, path == 4 && point == 1 ? 9u : 0u};
  }
  std::uint32_t not_collected{0};
};

TraceTuple record(std::uint32_t path, std::uint16_t point, std::uint64_t operation, std::uint64_t start,
                  std::uint64_t end, Status status = Status::ok) {
  EventRecord made;
  made.sequence = operation;
  made.path = path;
  made.point = point;
  made.verb = Verb::exchange;
  made.status = status;
  made.start = start;
  made.end = end;
  made.parameter = operation;
  return encode(made);
}

/// The thread of path p arrives at `at` + 10 p and waits until `at` + 100; each step on the way takes one
/// tick.
std::vector<TraceTuple> operation(std::uint64_t number, std::uint64_t at) {
  std::vector<TraceTuple> records;
  for (std::uint32_t path = 1; path <= 3; ++path) {
    records.push_back(record(path, 0, number, at + std::uint64_t{10} * path, at + 100));
    records.push_back(record(path, 1, number, at + std::uint64_t{10} * path + 1, at + 99));
  }
  records.push_back(record(4, 0, number, at + 33, at + 95));
  records.push_back(record(4, 1, number, 34, 94));
  records.push_back(record(7, 0, number, 20, 97));
  records.push_back(record(7, 1, number, 21, 96));
  return records;
}

class CollectiveWrapperTest : public testing::Test {
 protected:
  void apply(View& view) { collective_wrapper().make({}, names)->apply(view); }
  CollectiveNames names;
};

const CollectiveSum& sum_of(const View& view, std::uint32_t of, CollectiveTime time) {
  static const CollectiveSum none{};
  const auto found = std::ranges::find_if(
      view.collective_sums, [&](const CollectiveSum& sum) { return sum.of == of && sum.time == time; });
  return found == view.collective_sums.end() ? none : *found;
}

TEST_F(CollectiveWrapperTest, FindsTheJointsWithinOneProcess) {
  const auto layouts = collective_layouts(names);
  ASSERT_EQ(layouts.size(), 1u);
  EXPECT_EQ(layouts[0].process, 0u);
  ASSERT_EQ(layouts[0].edges.size(), 3u);
  ASSERT_EQ(layouts[0].joints.size(), 1u);
  EXPECT_EQ(layouts[0].joints[0].number, 5u);
  EXPECT_EQ(layouts[0].joints[0].uplink, 4u);
  names.not_collected = 2;
  EXPECT_TRUE(collective_layouts(names).empty());
}

TEST_F(CollectiveWrapperTest, ACompleteOperationBecomesAPart) {
  View view;
  view.records = operation(8, 1000);
  apply(view);
  ASSERT_EQ(view.collective_parts.size(), 1u);
  EXPECT_EQ(view.collective_parts[0], (CollectivePart{0, 0, 8, 3, {1, 1010}, {2, 1020}, {3, 1030}, 20 + 10}));
  EXPECT_EQ(view.records.size(), 4u);  // records of the uplink, and of the thread in process 1
  EXPECT_EQ(view.loss.reduced, 6u);
  EXPECT_EQ(decode(view.records[0]).path, 4u);
}

TEST_F(CollectiveWrapperTest, TimesAreAddedUpOverTheOperationsOfAView) {
  View view;
  view.records = operation(8, 1000);
  for (const TraceTuple& tuple : operation(9, 2000)) view.records.push_back(tuple);
  apply(view);
  EXPECT_EQ(view.collective_parts.size(), 2u);
  EXPECT_EQ(sum_of(view, 1, CollectiveTime::up), (CollectiveSum{0, 1, CollectiveTime::up, 2, 2, 1}));
  EXPECT_EQ(sum_of(view, 1, CollectiveTime::down), (CollectiveSum{0, 1, CollectiveTime::down, 2, 2, 1}));
  EXPECT_EQ(sum_of(view, 1, CollectiveTime::waited),
            (CollectiveSum{0, 1, CollectiveTime::waited, 2, 40, 20}));
  EXPECT_EQ(sum_of(view, 3, CollectiveTime::waited).ticks, 0);
  EXPECT_EQ(sum_of(view, 5, CollectiveTime::gathering).ticks, 40);
  EXPECT_EQ(sum_of(view, 5, CollectiveTime::passing_up).ticks, 4);        // from 31 to 33
  EXPECT_EQ(sum_of(view, 5, CollectiveTime::above).count, 0u);            // the record of the uplink has it
  EXPECT_EQ(sum_of(view, 5, CollectiveTime::handing_down).ticks, 2 * 4);  // from 95 to 99
}

TEST_F(CollectiveWrapperTest, IncompleteOperationsArePassedOnUnchanged) {
  std::mt19937_64 random(7);
  const auto all = operation(8, 1000);
  for (std::size_t left_out = 0; left_out < all.size(); ++left_out) {
    SCOPED_TRACE(left_out);
    View view;
    for (std::size_t i = 0; i < all.size(); ++i) {
      if (i != left_out) view.records.push_back(all[i]);
    }
    std::shuffle(view.records.begin(), view.records.end(), random);
    const auto before = view.records;
    const bool is_needed = left_out <= 6;  // paths between processes are not needed
    apply(view);
    EXPECT_EQ(view.collective_parts.empty(), is_needed);
    if (is_needed) {
      EXPECT_EQ(view.records, before);
      EXPECT_EQ(view.loss, Loss{});
      EXPECT_TRUE(view.collective_sums.empty());
    }
  }
}

TEST_F(CollectiveWrapperTest, BrokenAndRepeatedOperationsStayAsTheyAre) {
  View broken;
  broken.records = operation(8, 1000);
  broken.records[0] = record(1, 0, 8, 1010, 1100, Status::closed);
  apply(broken);
  EXPECT_EQ(broken.records.size(), 10u);
  View twice;
  twice.records = operation(8, 1000);
  twice.records.push_back(record(2, 1, 8, 5000, 5100));
  apply(twice);
  EXPECT_EQ(twice.records.size(), 11u);
  EXPECT_TRUE(twice.collective_parts.empty());
}

TEST_F(CollectiveWrapperTest, OverAnyViewsNothingIsLost) {
  std::mt19937_64 random(11);
  for (int round = 0; round < 200; ++round) {
    std::vector<TraceTuple> all;
    for (std::uint64_t number = 1; number <= 20; ++number) {
      for (const TraceTuple& tuple : operation(number, 1000 * number)) all.push_back(tuple);
    }
    std::size_t told = 0, reduced = 0;
    std::set<std::uint64_t> parts;
    for (std::size_t at = 0; at < all.size();) {
      View view;
      for (auto left = random() % 60; left > 0 && at < all.size(); --left) view.records.push_back(all[at++]);
      apply(view);
      apply(view);  // on another level, too
      told += view.records.size();
      reduced += view.loss.reduced;
      for (const CollectivePart& part : view.collective_parts)
        EXPECT_TRUE(parts.insert(part.operation).second);
    }
    EXPECT_EQ(told + reduced, all.size());
    EXPECT_EQ(reduced, 6 * parts.size());
  }
}

TEST_F(CollectiveWrapperTest, OtherEventsPassThrough) {
  View view;
  view.records = {record(42, 0, 1, 10, 20), record(5, 1, 1, 10, 20), record(1, 7, 1, 10, 20)};
  apply(view);
  EXPECT_EQ(view.records.size(), 3u);
}

}  // namespace
}  // namespace eventspace
