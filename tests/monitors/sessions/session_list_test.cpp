#include "monitors/sessions/session_list.h"

#include <gmock/gmock.h>
#include <unistd.h>

namespace eventspace {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

SegmentEntry segment(const std::string& session, SegmentState state, std::uint64_t fingerprint) {
  SegmentEntry entry;
  entry.kind = SegmentKind::segment;
  entry.state = state;
  entry.identity = {session, "n1", "p0", fingerprint};
  entry.pid = 1 << 23;  // larger than all valid ids
  entry.threads = 2;
  entry.events = 10;
  return entry;
}

TEST(SessionList, AProcessInAnUnknownStateIsNotDead) {
  const auto sessions = sessions_of({segment("a", SegmentState::unknown, 0)});
  ASSERT_EQ(sessions.size(), 1u);
  EXPECT_EQ(sessions[0].alive, 1u);
  EXPECT_EQ(sessions[0].unknown, 1u);
  EXPECT_EQ(sessions[0].dead, 0u);
}

RemoteProcess remote(std::string state) {
  RemoteProcess process;
  process.state = std::move(state);
  return process;
}

TEST(SessionList, AnUnknownProcessOfAnotherMachineIsNotDeadEither) {
  const auto sessions =
      sessions_of({}, {}, {{.session = "a", .processes = {remote("unknown"), remote("dead")}}});
  ASSERT_EQ(sessions.size(), 1u);
  EXPECT_EQ(sessions[0].alive, 1u);
  EXPECT_EQ(sessions[0].unknown, 1u);
  EXPECT_EQ(sessions[0].dead, 1u);
}

TEST(SessionList, AddsUpTheProcessesOfEachSession) {
  const auto sessions =
      sessions_of({segment("a", SegmentState::alive, 0), segment("b", SegmentState::alive, 0),
                   segment("a", SegmentState::dead, 0)});
  ASSERT_EQ(sessions.size(), 2u);
  EXPECT_EQ(sessions[0].name, "a");
  EXPECT_EQ(sessions[0].alive, 1u);
  EXPECT_EQ(sessions[0].dead, 1u);
  EXPECT_EQ(sessions[0].threads, 4u);
  EXPECT_EQ(sessions[0].events, 20u);
  EXPECT_THAT(sessions[0].nodes, ElementsAre("n1"));
  EXPECT_THAT(sessions[0].pathmaps, IsEmpty());
}

TEST(SessionList, ASessionWithOnlyServersHasTheirPathmap) {
  RunningServer server;
  server.session = "a";
  server.node = "n2";
  server.pathmap = "/tmp/a.yaml";
  server.age = std::chrono::seconds(5);
  RunningServer of_process;
  of_process.of = RunningServer::Of::process;
  of_process.session = "b";
  const auto alone = sessions_of({}, {server, of_process});
  ASSERT_EQ(alone.size(), 1u) << "a process has a segment, or does not record";
  EXPECT_EQ(alone[0].servers, 1u);
  EXPECT_EQ(alone[0].alive, 0u);
  EXPECT_EQ(alone[0].age, std::chrono::seconds(5));
  EXPECT_THAT(alone[0].nodes, ElementsAre("n2"));
  const auto both = sessions_of({segment("a", SegmentState::alive, 7)}, {server});
  EXPECT_THAT(both[0].pathmaps, ElementsAre("/tmp/a.yaml")) << "the server says what the process does not";
  EXPECT_THAT(both[0].nodes, ElementsAre("n1", "n2"));
}

TEST(SessionList, AnUnknownPathmapIsNotAMissingPathmap) {
  EXPECT_THAT(sessions_of({segment("a", SegmentState::alive, 7)})[0].pathmaps, ElementsAre("?"));
  EXPECT_THAT(sessions_of({segment("a", SegmentState::dead, 7)})[0].pathmaps, ElementsAre("?"));
}

TEST(SessionList, FilesThatAreNotSegmentsAreNotProcesses) {
  SegmentEntry elements = segment("a", SegmentState::alive, 0);
  elements.kind = SegmentKind::elements;
  EXPECT_THAT(sessions_of({elements}), IsEmpty());
}

TEST(SessionList, AVariableOfAProcessIsReadFromItsEnvironment) {
  EXPECT_EQ(variable_of_process(::getpid(), "EVENTSPACE_NO_SUCH_VARIABLE"), "");
  EXPECT_NE(variable_of_process(::getpid(), "PATH"), "");
  EXPECT_EQ(variable_of_process(1 << 23, "PATH"), "");
}

}  // namespace
}  // namespace eventspace
