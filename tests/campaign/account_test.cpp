#include "tests/campaign/account.h"

#include <gmock/gmock.h>

namespace eventspace::testing_campaign {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;

/// An account of trace elements 3 and 5 of process p0. Runs are distinguished by their pids.
class AccountTest : public testing::Test {
 protected:
  static std::optional<SourceRef> source_of(std::uint32_t path, std::uint16_t /*point*/) {
    return SourceRef{path, 0};
  }
  static ReadPosition at(std::uint32_t trace, std::uint64_t sequence, std::int32_t pid = 1) {
    return {trace, 0, pid, pid * std::int64_t{1000}, sequence};
  }
  static TraceTuple record(std::uint32_t trace, std::uint64_t sequence) {
    EventRecord record;
    record.path = trace;
    record.sequence = sequence;
    record.end = 1;
    record.status = Status::ok;
    return encode(record);
  }
  static View view(std::vector<ReadPosition> positions, const std::vector<std::uint64_t>& of_trace_3 = {},
                   Loss loss = {}) {
    View view;
    view.positions = std::move(positions);
    for (const std::uint64_t sequence : of_trace_3) view.records.push_back(record(3, sequence));
    view.loss = loss;
    return view;
  }

  Account account{source_of, [](std::uint32_t process) { return "p" + std::to_string(process); }};
};

TEST_F(AccountTest, EachNumberIsARecordOrCounted) {
  EXPECT_THAT(account.take(view({at(3, 4), at(5, 0)}, {3, 4}, {.earlier = 2})), IsEmpty());
  EXPECT_THAT(account.take(view({at(3, 9)}, {7, 9}, {.discarded = 2, .filtered = 1})), IsEmpty());
  EXPECT_THAT(account.take(view({})), IsEmpty());
  EXPECT_FALSE(account.has_moved());
}

TEST_F(AccountTest, AnUncountedLossIsFound) {
  EXPECT_THAT(account.take(view({at(3, 3)}, {1, 3})),
              ElementsAre(HasSubstr("3 numbers are accounted for by 2")));
}

TEST_F(AccountTest, ALossThatIsCountedTwiceIsFound) {
  EXPECT_THAT(account.take(view({at(3, 3)}, {3}, {.discarded = 2, .earlier = 2})), SizeIs(1));
}

TEST_F(AccountTest, ARepeatedRecordIsFound) {
  EXPECT_THAT(account.take(view({at(3, 2)}, {1, 2})), IsEmpty());
  EXPECT_THAT(account.take(view({at(3, 3)}, {2, 3}, {})),
              ElementsAre(HasSubstr("record 2"), HasSubstr("2 records")));
  EXPECT_THAT(account.take(view({at(3, 5)}, {4, 4})), ElementsAre(HasSubstr("record 4")));
}

TEST_F(AccountTest, ARecordOfATraceElementThatDidNotAdvanceIsFound) {
  EXPECT_THAT(account.take(view({at(5, 1)}, {1})), ElementsAre(HasSubstr("nothing that was moved")));
}

TEST_F(AccountTest, RecordsOutOfOrderAreFound) {
  EXPECT_THAT(account.take(view({at(3, 2)}, {2, 1})), ElementsAre(HasSubstr("record 1")));
}

TEST_F(AccountTest, RecordsThatServersSentAgainAreFound) {
  EXPECT_THAT(account.take(view({}, {}, {.repeated = 3})), ElementsAre("3 records came again"));
}

TEST_F(AccountTest, PositionsThatDoNotMatchTheRecordsAreFound) {
  View counted = view({at(3, 3)}, {}, {.reduced = 3});
  counted.aggregates.emplace_back();
  counted.aggregates.back().count = 3;
  EXPECT_THAT(account.take(counted), IsEmpty());
  counted.positions = {at(3, 6)};
  counted.aggregates.back().count = 6;
  EXPECT_THAT(account.take(counted), ElementsAre("3 records were reduced, and 6 are in numbers"));
}

TEST_F(AccountTest, ALaterRunStartsFromZeroAndIsReportedAsAChange) {
  EXPECT_THAT(account.take(view({at(3, 2)}, {1, 2})), IsEmpty());
  EXPECT_THAT(account.take(view({at(3, 1, 2)}, {1})), IsEmpty());
  const auto changes = account.take_changes();
  ASSERT_THAT(changes, SizeIs(1));
  EXPECT_EQ(changes[0].left, at(3, 2));
  EXPECT_EQ(changes[0].next, at(3, 1, 2));
  EXPECT_FALSE(changes[0].is_named);
  View named = view({at(3, 1, 3)}, {1});
  named.missing.push_back({"n1", "process p0", MissingCause::restarted, "", 1});
  EXPECT_THAT(account.take(named), IsEmpty());
  EXPECT_TRUE(account.take_changes().at(0).is_named);
}

TEST_F(AccountTest, GoingBackIsFound) {
  EXPECT_THAT(account.take(view({at(3, 2)}, {1, 2})), IsEmpty());
  EXPECT_THAT(account.take(view({at(3, 1)})), SizeIs(1));
  EXPECT_THAT(account.take(view({at(3, 0, 2)})), IsEmpty());
  EXPECT_THAT(account.take(view({at(3, 0, 1)})), ElementsAre(HasSubstr("after the later")));
}

}  // namespace
}  // namespace eventspace::testing_campaign
