#include "monitors/probing/groups/group_answer.h"

#include <gmock/gmock.h>

#include <algorithm>
#include <cstdint>
#include <limits>
#include <span>
#include <string>
#include <string_view>
#include <variant>

#include <eventspace/error.h>
#include <eventspace/packet.h>
#include "monitors/probing/groups/group_layout.h"
#include "monitors/probing/groups/group_packets.h"
#include "monitors/probing/groups/packet_body.h"
#include "monitors/probing/nodes/node_orders.h"
#include "monitors/probing/probes/process_probes_layout.h"
#include "tests/error_text.h"
#include "tests/paths/wire/layout_test.h"

// Answers of processes on several machines: how they are merged and sent.

namespace eventspace {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::SizeIs;

GroupAnswer of_machine(const std::string& host, std::uint64_t calls) {
  GroupAnswer answer;
  answer.processes = 2;
  answer.done = 1;
  answer.probes = 1;
  answer.longest_stop = std::chrono::nanoseconds(calls);
  answer.refusals.add(7, "process 7 is traced already", host + ":7");
  FunctionSpread* const solve = answer.function("/bin/app", "solve");
  solve->calls.add(calls, host + ":6");
  solve->total_ns.add(10 * calls, host + ":6");
  answer.members.push_back({host, 6, "app", "3", "job", "session", 2});
  return answer;
}

TEST(GroupAnswer, IsTheSameInWhicheverOrderAnswersAreMerged) {
  std::vector<GroupAnswer> all{of_machine("n1", 5), of_machine("n2", 9), of_machine("n3", 5)};
  GroupAnswer forward;
  for (const GroupAnswer& one : all) forward.merge(one);
  std::ranges::reverse(all);
  GroupAnswer backward;
  for (const GroupAnswer& one : all) backward.merge(one);
  for (const GroupAnswer& merged : {forward, backward}) {
    EXPECT_EQ(merged.processes, 6U);
    EXPECT_EQ(merged.done, 3U);
    EXPECT_EQ(merged.longest_stop.count(), 9);
    ASSERT_THAT(merged.functions, SizeIs(1));
    const Spread& calls = merged.functions[0].calls;
    EXPECT_EQ(calls, (Spread{3, 19, 5, 9, "n1:6", "n2:6"}));
    EXPECT_NEAR(calls.imbalance(), 1 - 19.0 / 27, 1e-9);
    EXPECT_THAT(merged.members, SizeIs(3));
  }
  EXPECT_EQ(forward.functions, backward.functions);
}

TEST(GroupAnswer, HasALineForEachReasonAndNotForEachProcess) {
  GroupAnswer answer;
  for (int i = 0; i < 100; ++i) answer.merge(of_machine("n" + std::to_string(i), 1));
  answer.refusals.add(8, "it has ended", "n1:8");
  EXPECT_THAT(answer.refusals.lines(),
              ElementsAre("process n1:8: it has ended",
                          "100 processes (n0:7, n1:7, n2:7, n3:7, n4:7 ...): the process is traced already"));
}

TEST(GroupAnswer, IsBoundedAndCountsWhatItLeavesOut) {
  GroupAnswer answer;
  for (std::size_t i = 0; i < GroupAnswer::max_functions + 3; ++i)
    (void)answer.function("m", "f" + std::to_string(i));
  EXPECT_EQ(answer.left_out, 3U);
  GroupAnswer more;
  more.members.resize(GroupAnswer::max_members);
  answer.merge(of_machine("n1", 1));
  answer.merge(more);
  EXPECT_THAT(answer.members, SizeIs(GroupAnswer::max_members));
  const std::uint64_t left_out = answer.left_out;
  answer.add(GroupMember{});
  EXPECT_THAT(answer.members, SizeIs(GroupAnswer::max_members));
  EXPECT_EQ(answer.left_out, left_out + 1);
  GroupedRefusals refusals;
  for (int i = 0; i < 1000; ++i) refusals.add(1, "reason " + std::to_string(i));
  EXPECT_THAT(refusals.by_reason(), SizeIs(GroupedRefusals::max_reasons + 1));
}

TEST(NumberSpread, IsTheSameInWhicheverOrderNumbersCome) {
  std::vector<std::pair<NumberSpread::Number, std::string>> numbers{
      {std::int64_t{4}, "b"}, {std::int64_t{-3}, "d"}, {std::int64_t{4}, "a"}, {std::int64_t{-3}, "c"}};
  std::ranges::sort(numbers);
  do {
    NumberSpread spread;
    for (const auto& [number, process] : numbers) {
      NumberSpread one;
      one.add(number, process);
      spread.merge(one);
    }
    const NumberSpread expected{4, 0, 2, std::int64_t{-3}, std::int64_t{4}, "c", "a"};
    EXPECT_EQ(spread, expected);
  } while (std::next_permutation(numbers.begin(), numbers.end()));
}

TEST(NumberSpread, LeavesOutValuesThatAreNotNumbers) {
  NumberSpread spread;
  spread.add(std::numeric_limits<double>::quiet_NaN(), "a");
  EXPECT_EQ(spread.count, 0U);
  spread.add(-0.5, "b");
  spread.add(std::numeric_limits<double>::infinity(), "c");
  EXPECT_EQ(spread.count, 2U);
  EXPECT_EQ(spread.missing, 1U);
  EXPECT_EQ(spread.least, NumberSpread::Number(-0.5));
  EXPECT_EQ(spread.greatest_at, "c");
  // From machines that send different kinds, which correct ones do not.
  spread.add(std::int64_t{-7}, "d");
  EXPECT_EQ(spread.least_at, "d");
}

TEST(VariableSpread, SaysWhereItIsNotANumber) {
  constexpr double none = std::numeric_limits<double>::quiet_NaN();
  VariableSpread mean{"mean", {}};
  EXPECT_EQ(line_of(mean), "");
  mean.numbers.add(none, "n1:1");
  EXPECT_EQ(line_of(mean), "mean is not a number in 1 process");
  mean.numbers.add(0.5, "n1:2");
  EXPECT_EQ(line_of(mean), "process n1:2: mean is 0.5; in 1 process it is not a number");
  mean.numbers.add(none, "n1:3");
  mean.numbers.add(1.5, "n2:1");
  EXPECT_EQ(
      line_of(mean),
      "mean: mean 1 over 2 processes, minimum 0.5 (n1:2), maximum 1.5 (n2:1); in 2 processes it is not a "
      "number");
  VariableSpread whole{"calls", {}};
  whole.numbers.add(std::int64_t{7}, "n1:1");
  EXPECT_EQ(line_of(whole), "process n1:1: calls is 7");
}

TEST(GroupPackets, VariablesOfProbesAreMergedByTheirNames) {
  GroupAnswer answer;
  answer.variable("inside")->add(std::int64_t{-2}, "n1:1");
  answer.variable("mean")->add(0.25, "n1:1");
  GroupAnswer other;
  other.variable("inside")->add(std::int64_t{3}, "n2:1");
  GroupAnswer merged = answer_in(packet_of(answer));
  EXPECT_EQ(merged.variables, answer.variables);
  merged.merge(answer_in(packet_of(other)));
  ASSERT_THAT(merged.variables, SizeIs(2));
  const NumberSpread expected{2, 0, 1, std::int64_t{-2}, std::int64_t{3}, "n1:1", "n2:1"};
  EXPECT_EQ(merged.variables[0].numbers, expected);
  GroupAnswer many;
  for (int i = 0; i < 8; ++i) many.variable("v" + std::to_string(i))->add(std::int64_t{i}, "n3:1");
  merged.merge(answer_in(packet_of(many)));
  EXPECT_THAT(merged.variables, SizeIs(GroupAnswer::max_variables));
  EXPECT_EQ(merged.left_out, 2U);
}

TEST(Spread, DoesNotOverflow) {
  Spread spread;
  spread.add(std::numeric_limits<std::uint64_t>::max(), "a");
  spread.add(2, "b");
  EXPECT_EQ(spread.sum, std::numeric_limits<std::uint64_t>::max());
  EXPECT_EQ(spread.least_at, "b");
  EXPECT_EQ(Spread().imbalance(), 0);
}

TEST(GroupPackets, AnswersAreReadAsTheyWereWritten) {
  GroupAnswer answer = of_machine("n1", 5);
  answer.merge(of_machine("n2", 6));
  answer.left_out = 4;
  answer.failed = 2;
  answer.functions[0].left_out = 3;
  const GroupAnswer read = answer_in(packet_of(answer));
  EXPECT_EQ(read.processes, 4U);
  EXPECT_EQ(read.done, 2U);
  EXPECT_EQ(read.probes, 2U);
  EXPECT_EQ(read.left_out, 4U);
  EXPECT_EQ(read.failed, 2U);
  EXPECT_EQ(read.longest_stop.count(), 6);
  EXPECT_EQ(read.functions, answer.functions);
  EXPECT_EQ(read.members, answer.members);
  EXPECT_EQ(read.refusals.lines(), answer.refusals.lines());
}

TEST(GroupPackets, VariablesComeBackWithTheirTypes) {
  GroupAnswer answer;
  answer.readings = {{"n1:1", "a", true},
                     {"n1:1", "b", std::int64_t{-3}},
                     {"n1:2", "c", std::numeric_limits<std::uint64_t>::max()},
                     {"n1:2", "d", -0.5}};
  GroupAnswer merged = answer_in(packet_of(answer));
  EXPECT_EQ(merged.readings, answer.readings);
  merged.merge(answer);
  EXPECT_THAT(merged.readings, SizeIs(8));
}

TEST(GroupPackets, ValuesAndHistogramsAreMergedByTheirFunctions) {
  GroupAnswer answer = of_machine("n1", 5);
  (void)answer.function("/bin/app", "a");  // before the other one, and without values
  FunctionSpread* const solve = answer.function("/bin/app", "solve");
  solve->values = {{3, 1, 12, std::int64_t{-1}, std::int64_t{9}, "n1:6", "n1:7"},
                   {0, 4, 0, std::int64_t{0}, std::int64_t{0}, "", ""}};
  solve->histogram.resize(measuring::histogram_buckets);
  solve->histogram[0] = 2;
  solve->histogram[63] = 1;
  GroupAnswer merged = answer_in(packet_of(answer));
  EXPECT_EQ(merged.functions, answer.functions);
  GroupAnswer other;
  other.function("/bin/app", "solve")->values = {
      {1, 0, 20, std::int64_t{20}, std::int64_t{20}, "n2:1", "n2:1"}};
  merged.merge(answer_in(packet_of(other)));
  merged.merge(answer_in(packet_of(answer)));
  const FunctionSpread& all = *merged.function("/bin/app", "solve");
  const NumberSpread expected{7, 2, 44, std::int64_t{-1}, std::int64_t{20}, "n1:6", "n2:1"};
  ASSERT_THAT(all.values, SizeIs(2));
  EXPECT_EQ(all.values[0], expected);
  EXPECT_EQ(all.values[1].missing, 8U);
  EXPECT_EQ(all.histogram[0], 4U);
  EXPECT_EQ(all.histogram[63], 2U);
}

/// Why an answer is refused after `change`; empty if it is accepted.
template <class Change>
std::string refusal_after(Change change) {
  GroupAnswer answer = of_machine("n1", 5);
  answer.variable("a")->add(std::int64_t{5}, "n1:4");
  answer.readings = {{"n1:4", "steps", std::int64_t{7}}};
  change(answer);
  return test::error_text<streams::PacketError>([&] { (void)answer_in(packet_of(answer)); });
}

TEST(GroupPackets, ImpossibleAnswersAreRefused) {
  static constexpr double none = std::numeric_limits<double>::quiet_NaN();
  EXPECT_EQ(refusal_after([](GroupAnswer&) {}), "");
  EXPECT_EQ(refusal_after([](GroupAnswer& answer) { answer.variables[0].numbers.least = 0.5; }), "")
      << "machines may send numbers of different types";
  EXPECT_NE(refusal_after([](GroupAnswer& answer) {
              answer.variables[0].numbers.least = answer.variables[0].numbers.greatest = none;
            }),
            "");
  EXPECT_NE(refusal_after(
                [](GroupAnswer& answer) { answer.functions[0].values.resize(measuring::max_values + 1); }),
            "");
  EXPECT_NE(refusal_after([](GroupAnswer& answer) {
              answer.functions[0].histogram.assign(measuring::histogram_buckets + 1, 1);
            }),
            "");
  EXPECT_NE(
      refusal_after([](GroupAnswer& answer) { answer.variables.resize(GroupAnswer::max_variables + 1); }),
      "");
  EXPECT_NE(refusal_after([](GroupAnswer& answer) { answer.longest_stop = std::chrono::nanoseconds(-1); }),
            "");
}

TEST(GroupPackets, AReadingOfAnUnknownTypeIsRefused) {
  const auto reading_of_type = [](std::size_t type) {
    std::vector<std::byte> body;
    msgpack_body::write_into(body, [type](wire::EntryWriter writer) {
      writer.array(4);
      writer.text("n1:4");
      writer.text("steps");
      writer.integer(type);
      writer.integer(7);
    });
    return wire::decoded<VariableReading>(body);
  };
  EXPECT_EQ(reading_of_type(1), (VariableReading{"n1:4", "steps", std::int64_t{7}}));
  EXPECT_EQ(reading_of_type(2), (VariableReading{"n1:4", "steps", std::uint64_t{7}}));
  EXPECT_FALSE(reading_of_type(std::variant_size_v<ProgramVariable::Value>));
}

TEST(GroupPackets, AHistogramWithARangeThatNoDurationHasIsRefused) {
  const auto histogram_with = [](std::size_t range) {
    std::vector<std::byte> body;
    msgpack_body::write_into(body, [range](wire::EntryWriter writer) {
      writer.array(2);
      writer.integer(range);
      writer.integer(5);
    });
    return wire::decoded<std::vector<std::uint64_t>, wire::SparseHistogram>(body);
  };
  const auto last = histogram_with(63);
  ASSERT_TRUE(last);
  EXPECT_EQ(last->at(63), 5U);
  EXPECT_FALSE(histogram_with(64));
}

// merge() relies on the order of functions.
TEST(GroupPackets, FunctionsOutOfOrderAreSortedAndJoined) {
  GroupAnswer answer = of_machine("n1", 5);
  FunctionSpread first = answer.functions[0];
  first.module = "/bin/a";
  answer.functions = {answer.functions[0], first, answer.functions[0]};
  const GroupAnswer read = answer_in(packet_of(answer));
  ASSERT_THAT(read.functions, SizeIs(2));
  EXPECT_EQ(read.functions[0].module, "/bin/a");
  EXPECT_EQ(read.functions[1].calls.count, 2 * answer.functions[0].calls.count);
}

TEST(GroupPackets, OtherVersionsAreNamed) {
  using Format = streams::Format<std::uint32_t, std::span<const std::uint8_t>>;
  const auto complaint = [](const streams::Packet& packet) {
    return test::error_text<streams::PacketError>([&] { (void)answer_in(packet); });
  };
  EXPECT_THAT(complaint(Format::make(0, group_packets_version + 1, {})), HasSubstr("another version"));
  using Older = streams::Format<std::uint32_t, std::string_view>;
  EXPECT_THAT(complaint(Older::make(0, 7, "list")), HasSubstr("another version"));
  EXPECT_THAT(complaint(Format::make(0, group_packets_version, {})), HasSubstr("malformed"));
}

}  // namespace
}  // namespace eventspace

namespace eventspace::test {

using GroupTypes = testing::Types<GroupAnswer, VariableReading, Removal, SwitchedProbes, InProcess<Removal>>;
INSTANTIATE_TYPED_TEST_SUITE_P(Groups, LayoutTest, GroupTypes);

}  // namespace eventspace::test
