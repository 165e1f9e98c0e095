#include "monitors/probing/groups/group_order.h"

#include <gmock/gmock.h>

#include <string>
#include <vector>

#include <eventspace/error.h>
#include "monitors/probing/groups/group_layout.h"
#include "monitors/probing/groups/group_packets.h"
#include "tests/paths/wire/layout_test.h"

// Orders to processes on several machines: how they are sent and checked.

namespace eventspace {
namespace {

using testing::ElementsAre;
using testing::VariantWith;

GroupOrder sent(const GroupCommand& command) { return order_in(packet_of(GroupOrder{.command = command})); }

/// The command after it was sent; fails if it has become another one.
template <class Command>
Command received(const Command& command) {
  const GroupOrder order = sent(command);
  EXPECT_THAT(order.command, VariantWith<Command>(testing::_));
  return std::get<Command>(order.command);
}

void expect_refused(const GroupCommand& command, const std::string& why = "") {
  EXPECT_THROW((void)sent(command), ConfigurationError) << why;
}

const FunctionPatterns functions{{"solve*"}, "app", "step"};
const ProbeTask task{true, "int0 > 1", 7, {"arg1"}, std::chrono::milliseconds(5), {"a = int0 at solve*"}};

TEST(GroupPackets, OrdersAreReadAsTheyWereWritten) {
  GroupOrder order;
  order.choice.groups = {"a"};
  order.groups["a"].where = "rank == 1";
  order.command = PlaceProbes{functions, task, true};
  const GroupOrder read = order_in(packet_of(order));
  EXPECT_EQ(read.choice, order.choice);
  EXPECT_EQ(read.groups, order.groups);
  ASSERT_THAT(read.command, VariantWith<PlaceProbes>(testing::_));
  const auto& probes = std::get<PlaceProbes>(read.command);
  EXPECT_EQ(probes.functions, functions);
  EXPECT_EQ(probes.task, task);
  EXPECT_TRUE(probes.has_histogram);
}

TEST(GroupPackets, EachCommandComesBackWithItsFields) {
  const auto recorded = received(RecordCalls{functions, task, "lmp"});
  EXPECT_EQ(recorded.functions, functions);
  EXPECT_EQ(recorded.task, task);
  EXPECT_EQ(recorded.session, "lmp");
  const auto switched = received(SwitchProbes{functions, ProbeState::removed});
  EXPECT_EQ(switched.functions, functions);
  EXPECT_EQ(switched.to, ProbeState::removed);
  const auto recording = received(SwitchRecording{100, events_named("mpi", "collective")});
  EXPECT_EQ(recording.period, 100U);
  EXPECT_EQ(recording.events, events_named("mpi", "collective"));
  const auto callees = received(ListCallees{{"main"}, "app"});
  EXPECT_THAT(callees.callers, ElementsAre("main"));
  EXPECT_EQ(callees.modules, "app");
  EXPECT_THAT(received(ReadVariables{{"residual:double"}}).variables, ElementsAre("residual:double"));
  (void)received(ListProcesses());
  (void)received(ReadProbes());
  (void)received(RemoveProbes());
  (void)received(RemoveAllProbes());
  (void)received(StopProcesses());
  (void)received(ContinueProcesses());
}

TEST(GroupPackets, ProcessesOfOrdersAreCheckedByTheirReceivers) {
  GroupOrder order;
  order.choice.pids = {0};
  EXPECT_THROW((void)order_in(packet_of(order)), streams::PacketError) << "no process has this id";
  order = {};
  order.choice.groups = {"a"};
  EXPECT_THROW((void)order_in(packet_of(order)), ConfigurationError) << "without its group";
}

TEST(GroupPackets, NamesInOrdersAreCheckedByTheirReceivers) {
  expect_refused(PlaceProbes(), "without functions");
  expect_refused(RecordCalls{.session = "lmp"}, "without functions");
  expect_refused(SwitchProbes());
  expect_refused(ListCallees());
  expect_refused(ReadVariables());
  expect_refused(PlaceProbes{{{"f"}, "", "["}});
  expect_refused(PlaceProbes{{{"f"}, "[", ""}});
  expect_refused(SwitchProbes{{{"["}}});
  expect_refused(ListCallees{{"["}});
  expect_refused(ReadVariables{{"residual:text"}});
  for (const char* const session : {"", "../lmp", "lmp.yaml"})
    expect_refused(RecordCalls{functions, {}, session}, session);
}

TEST(GroupPackets, TasksInOrdersAreCheckedByTheirReceivers) {
  std::vector<ProbeTask> tasks{{.when = "no field"},
                               {.values = {"no field"}},
                               {.phase = std::chrono::nanoseconds(0)},
                               {.lets = std::vector<std::string>(measuring::max_lets + 1, "a = 1 at f")}};
  for (const char* const let : {"a = 1", "a = no_field at f", "a = 1 at [", "a = 1 at"})
    tasks.push_back({.lets = {let}});
  for (const ProbeTask& one : tasks) {
    SCOPED_TRACE(testing::PrintToString(one.lets) + one.when);
    expect_refused(PlaceProbes{functions, one});
    expect_refused(RecordCalls{functions, one, "lmp"});
  }
}

TEST(GroupPackets, NumbersOutOfRangeInOrdersAreRefused) {
  const auto is_malformed = [](const GroupCommand& command) {
    EXPECT_THROW((void)sent(command), streams::PacketError);
  };
  is_malformed(SwitchProbes{functions, static_cast<ProbeState>(3)});
  is_malformed(SwitchRecording{1, {}});
  is_malformed(SwitchRecording{1, {{}, {}}});
  is_malformed(SwitchRecording{1, {{1, CollectSwitch::classes}}});
}

}  // namespace
}  // namespace eventspace

namespace eventspace::test {

using GroupOrderTypes = testing::Types<GroupOrder, ProcessChoice, SwitchRecording>;
INSTANTIATE_TYPED_TEST_SUITE_P(GroupOrders, LayoutTest, GroupOrderTypes);

// A body with an unknown command: the index of the last one is followed by a larger one.
TEST(GroupOrder, UnknownCommandsAreRefused) {
  std::vector<std::byte> body = wire::encoded(GroupOrder{.command = StopProcesses()});
  ASSERT_TRUE(wire::decoded<GroupOrder>(body));
  const auto index = body.end() - 2;  // before the empty array of StopProcesses
  ASSERT_EQ(*index, static_cast<std::byte>(GroupCommand(StopProcesses()).index()));
  *index = static_cast<std::byte>(std::variant_size_v<GroupCommand>);
  EXPECT_FALSE(wire::decoded<GroupOrder>(body));
}

}  // namespace eventspace::test
