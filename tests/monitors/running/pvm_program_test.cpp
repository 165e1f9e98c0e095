// Unmodified programs of PVM under `eventspace run`, which preloads the library into them and into the tasks
// that they spawn.
#include <algorithm>
#include <map>
#include <set>
#include <tuple>

#include "collectors/pvm/pvm_calls.h"
#include "monitors/running/message_library.h"
#include "tests/monitors/running/pvm_programs.h"

namespace eventspace {
namespace {

using nlohmann::json;
using testing::AllOf;
using testing::Gt;
using testing::HasSubstr;
using testing::StartsWith;

class PvmProgram : public test::PvmProgramTest {
 protected:
  // (from, to, tag, bytes) of each message, by senders and by receivers. Without the table of tasks and the
  // last message of each task.
  using Messages = std::multiset<std::tuple<std::int64_t, std::int64_t, std::int64_t, std::int64_t>>;
  static Messages messages(const std::vector<json>& events, bool sent) {
    Messages all;
    for (const json& event : events) {
      if (event["verb"] != (sent ? "send" : "receive") || event["tag"] != 5 || !event["nested"].is_null())
        continue;
      const std::int64_t own = event["task"];
      const std::int64_t other = event["partner"];
      all.emplace(sent ? own : other, sent ? other : own, event["tag"], event["bytes"]);
    }
    return all;
  }
};

struct Pattern {
  const char* name;
  int messages;  // in each of 5 rounds, for 4 tasks
};
void PrintTo(const Pattern& pattern, std::ostream* out) { *out << pattern.name; }
class PvmPattern : public PvmProgram, public testing::WithParamInterface<Pattern> {};

TEST_P(PvmPattern, WhatIsReceivedIsWhatWasSent) {
  const auto [name, in_a_round] = GetParam();
  const auto seen = events_of({name, "4", "5", "100"}, "pvm_recv", 3 + 3);
  const Messages sent = messages(seen, true);
  EXPECT_EQ(sent.size(), 5U * static_cast<unsigned>(in_a_round));
  EXPECT_EQ(sent, messages(seen, false));
  for (const json& event : seen) {
    EXPECT_EQ(event["kind"], "pvm");
    EXPECT_THAT(event["task"].get<std::int64_t>(), Gt(0x40000));
  }
}
INSTANTIATE_TEST_SUITE_P(Patterns, PvmPattern,
                         testing::Values(Pattern{"neighbours", 8}, Pattern{"irregular", 6},
                                         Pattern{"alltoall", 12}, Pattern{"transpose", 12},
                                         Pattern{"wavefront", 3}, Pattern{"self", 4}),
                         [](const auto& of) { return std::string(of.param.name); });

TEST_F(PvmProgram, AFunctionCalledByAnotherLiesWithinIt) {
  const auto seen = events_of({"transpose", "2", "5", "1000"}, "pvm_precv", 10);
  EXPECT_EQ(count(seen, "pvm_psend"), 10);
  EXPECT_EQ(bytes(seen, "pvm_psend"), 10 * 1000);
  EXPECT_EQ(bytes(seen, "pvm_precv"), 10 * 1000);
  int inside = 0;
  for (const json& event : seen) {
    const bool is_nested = event["nested"] == 1;
    EXPECT_TRUE(is_nested || event["call"] != "pvm_upkbyte");
    if (!is_nested || event["call"] != "pvm_pkbyte") continue;
    const auto encloses = [&event](const json& outer) {
      const auto end = [](const json& of) {
        return of["start_ns"].get<std::int64_t>() + of["duration_ns"].get<std::int64_t>();
      };
      return outer["call"] == "pvm_psend" && outer["task"] == event["task"] &&
             outer["start_ns"].get<std::int64_t>() <= event["start_ns"].get<std::int64_t>() &&
             end(outer) >= end(event);
    };
    EXPECT_EQ(std::ranges::count_if(seen, encloses), 1);
    ++inside;
  }
  EXPECT_EQ(inside, 10);
}

TEST_F(PvmProgram, EachFunctionThatPacksHasItsBytes) {
  const auto seen = events_of({"pack", "1", "1", "1"}, "pvm_vunpackf", 1);
  const std::map<std::string, std::int64_t> expected{
      {"byte", 3},   {"short", 4}, {"ushort", 4},  {"int", 8},   {"uint", 8},   {"long", 16},
      {"ulong", 16}, {"float", 8}, {"double", 16}, {"cplx", 16}, {"dcplx", 32}, {"str", 5}};
  for (const auto& [type, size] : expected) {
    EXPECT_EQ(bytes(seen, "pvm_pk" + type), size) << type;
    EXPECT_EQ(bytes(seen, "pvm_upk" + type), size) << type;
  }
  EXPECT_GE(bytes(seen, "pvm_vpackf"), 4 + 5);
  EXPECT_EQ(bytes(seen, "pvm_send"), bytes(seen, "pvm_recv"));
  std::set<std::string> encodings;
  for (const json& event : seen)
    if (event["call"] == "pvm_initsend" || event["call"] == "pvm_send") encodings.insert(event["encoding"]);
  EXPECT_EQ(encodings, (std::set<std::string>{"portable"}));
}

TEST_F(PvmProgram, OperationsOfGroupsAreOneCallWithTheirMessagesInside) {
  const auto seen = events_of({"group", "3", "4", "100"}, "pvm_barrier", 15);
  EXPECT_EQ(count(seen, "pvm_barrier"), 15);
  for (const char* const name : {"pvm_reduce", "pvm_gather", "pvm_scatter"})
    EXPECT_EQ(count(seen, name), 12) << name;
  EXPECT_EQ(count(seen, "pvm_bcast"), 4);
  std::int64_t destinations = 0;
  for (const json& event : seen) {
    if (event["verb"] == "group") {
      EXPECT_EQ(event["group"], "team");
    }
    if (event["call"] == "pvm_barrier") {
      EXPECT_EQ(event["tasks"], 3);
    }
    if (event["call"] == "pvm_mcast") destinations += event["tasks"].get<std::int64_t>();
    // Messages with the group server when a task joins are not the program's.
    if (event["call"] == "pvm_joingroup") {
      EXPECT_TRUE(event["nested"].is_null());
    }
  }
  EXPECT_EQ(destinations, 4 * 2);
}

TEST_F(PvmProgram, WaitingAndTheNetworkAreSeenBelowTheFunctions) {
  const auto seen = events_of({"self", "1", "3", "100"}, "pvm_recv", 3);
  EXPECT_GE(count(seen, "write"), 3);
  EXPECT_GE(count(seen, "read"), 3);
  EXPECT_GE(count(seen, "select"), 3);
  for (const json& event : seen) {
    const std::string call = event["call"];
    if (!call.starts_with("pvm_")) {
      EXPECT_EQ(event["nested"], 1) << call;
    }
  }
  // A message has a header of at least 32 bytes.
  EXPECT_GE(bytes(seen, "write"), 3 * (100 + 32));
}

TEST_F(PvmProgram, ReceivesThatFindNothingAskForAnyAndHaveNoBytes) {
  const auto seen = events_of({"ask", "1", "1", "10"}, "pvm_trecv", 2);
  int with_message = 0;
  for (const json& event : seen) {
    if (event["call"] != "pvm_trecv") continue;
    if (event["bytes"] == 10) ++with_message;
    if (event["bytes"] == 0) {
      EXPECT_TRUE(event["partner"].is_null());
    }
  }
  EXPECT_EQ(with_message, 1);
}

TEST_F(PvmProgram, ReceivesWithoutSuccessAreRecordedTogetherAndCounted) {
  const test::Variable go("GO_ON", go_file());
  Call program = run({"poll", "2", "5", "10"});
  ASSERT_TRUE(program.says("ready")) << program.err();
  const std::vector<json> seen = events();
  go_on();
  EXPECT_EQ(program.status(), 0) << program.err();
  std::int64_t calls = 0;
  std::size_t records = 0;
  for (const json& event : seen) {
    if (event["call"] != "pvm_nrecv") continue;
    ++records;
    calls += event["verb"] == "look" ? event["calls"].get<std::int64_t>() : 1;
  }
  std::int64_t looked = 0;
  ASSERT_EQ(std::sscanf(program.out().c_str(), "looked %ld", &looked), 1) << program.out();
  EXPECT_EQ(calls, looked);
  EXPECT_GT(calls, 5 * static_cast<std::int64_t>(records)) << "one of each millisecond, which has hundreds";
}

TEST_F(PvmProgram, ATaskThatOthersWaitForIsNamed) {
  Call program = run({"wait", "3", "1", "1"});
  EXPECT_TRUE(testing_commands::eventually([&] {
    const std::string said = call({"heartbeat", "job", "--count", "1", "--stall", "100ms"}).out();
    return said.find("; 2 threads wait for it") != std::string::npos;
  }));
  for (const int task : processes_with(PVM_APP)) ::kill(task, SIGKILL);
  EXPECT_NE(program.status(), 0);
}

TEST_F(PvmProgram, TheProfileHasTheMessagesOfEachPairOfTasks) {
  const test::Variable go("GO_ON", go_file());
  Call program = run({"irregular", "3", "10", "1000"});
  ASSERT_TRUE(program.says("ready")) << program.err();
  std::multiset<std::pair<int, int>> flows;  // messages and bytes
  const auto profile = call({"profile", "job", "--table", "matrix", "--format", "json", "--quiet"}).out();
  for (const json& row : testing_commands::objects_in(profile)) {
    EXPECT_EQ(row["over"], "PVM");
    EXPECT_THAT(row["from"].get<std::string>(), StartsWith("pvm_app.t"));
    flows.emplace(row["messages"], row["bytes"]);
  }
  go_on();
  EXPECT_EQ(program.status(), 0);
  // The table of tasks and "go" to two; the messages of the pattern in each round; "here" and "done" to the
  // first.
  const std::multiset<std::pair<int, int>> expected{
      {2, 12}, {2, 12}, {10 + 2, 10 * 1000}, {10 + 2, 10 * 2000}, {10, 10 * 1000}};
  EXPECT_EQ(flows, expected) << profile;
}

TEST_F(PvmProgram, ProcessesAreCalledAsTheConsoleCallsTheirTasks) {
  std::set<std::string> names;
  for (const json& event : events_of({"self", "2", "1", "1"}, "pvm_recv", 4)) {
    names.insert(event["process"]);
    EXPECT_EQ(event["process"],
              "pvm_app." + name_of_pvm_task(static_cast<std::uint32_t>(event["task"].get<std::int64_t>())));
  }
  EXPECT_EQ(names.size(), 2U);
}

TEST_F(PvmProgram, AnErrorOfACallIsRecordedAndThePlaceOfTheCall) {
  const test::Variable go("GO_ON", go_file());
  Call program = run({"fail", "1", "1", "1"});
  ASSERT_TRUE(program.says("ready")) << program.err();
  json failed;
  EXPECT_TRUE(testing_commands::eventually([&] {
    for (const json& event : events())
      if (event["call"] == "pvm_send") failed = event;
    return !failed.is_null();
  }));
  go_on();
  EXPECT_EQ(program.status(), 0);
  EXPECT_EQ(failed["error"], 2);  // PvmBadParam is -2
  EXPECT_THAT(failed["site"].get<std::string>(), HasSubstr("pvm_app"));
}

TEST_F(PvmProgram, OutputAndExitStatusAreTheProgramsOwn) {
  for (const char* const pattern : {"pack", "ask", "fork", "unrecorded"}) {
    const auto run_with = [&](const Words& options) {
      Call program = run({pattern, "1", "1", "10"}, options);
      const int status = program.status();
      std::string out = program.out();
      out.erase(std::min(out.find("took"), out.size()));  // a time
      return std::tuple(status, out, program.err());
    };
    EXPECT_EQ(run_with({}), run_with({"--mpi", "none"})) << pattern;
  }
}

TEST_F(PvmProgram, OnlyListedFunctionsAreRecordedAndAllOfThem) {
  const auto seen = events_of({"unrecorded", "1", "1", "10"}, "pvm_upkbyte", 1);
  EXPECT_EQ(count(seen, "pvm_send"), 1);
  EXPECT_EQ(count(seen, "pvm_recv"), 1);
  for (const char* const name : {"pvm_getopt", "pvm_setopt", "pvm_tidtohost", "pvm_mkbuf", "pvm_archcode"})
    EXPECT_EQ(count(seen, name), 0) << name;
}

TEST_F(PvmProgram, AForkedChildRecordsNothingAndItsParentContinues) {
  const auto seen = events_of({"fork", "1", "1", "10"}, "pvm_upkbyte", 1);
  EXPECT_EQ(count(seen, "pvm_initsend"), 1) << "that of the parent";
  EXPECT_EQ(count(seen, "pvm_recv"), 1);
}

TEST_F(PvmProgram, TheCallsOfACrashedProgramStay) {
  Call program = run({"crash", "1", "1", "1"});
  EXPECT_NE(program.status(), 0);
  EXPECT_GE(count(events(), "pvm_mytid"), 1);
}

TEST_F(PvmProgram, TheCallsOfAKilledProgramStay) {
  Call program = run({"stick", "1", "1", "1"});
  ASSERT_TRUE(testing_commands::eventually([&] {
    return call({"heartbeat", "job", "--count", "1", "--stall", "100ms"})
               .out()
               .find("in pvm_recv from any tag 99") != std::string::npos;
  }));
  for (const int task : processes_with(PVM_APP)) ::kill(task, SIGKILL);
  EXPECT_NE(program.status(), 0);
  EXPECT_GE(count(events(), "pvm_mytid"), 1);
}

TEST_F(PvmProgram, AProgramThatIsNotATaskIsReported) {
  Call program = start({"run", "--session", "job", "--pvm", "--", "true"});
  EXPECT_EQ(program.status(), 0);
  EXPECT_THAT(program.err(),
              AllOf(StartsWith("eventspace: no call of PVM was recorded: "), HasSubstr("libpvm3.so")));
}

TEST_F(PvmProgram, AProgramLinkedStaticallyWithPvmIsReported) {
  Call program = start({"run", "--session", "job", "--", STATIC_PVM_APP, "self", "1", "1", "1"});
  EXPECT_EQ(program.status(), 0);
  EXPECT_THAT(program.err(), HasSubstr(" is linked statically with PVM: its calls of PVM are not recorded"));
}

TEST_F(PvmProgram, WithoutASessionTheProgramRunsUnrecorded) {
  Call program = start({"run", "--session", "job", "--mpi", "none", "--", "env", "-u", "EVENTSPACE_SESSION",
                        "EVENTSPACE_VERBOSE=1", "LD_PRELOAD=" PVM_LIBRARY, PVM_APP, "self", "1", "1", "1"});
  EXPECT_EQ(program.status(), 0);
  EXPECT_THAT(program.out(), HasSubstr("ready"));
  EXPECT_THAT(program.err(), HasSubstr("calls of PVM are not recorded: EVENTSPACE_SESSION is not set"));
}

TEST_F(PvmProgram, WithPreloadAndExportByHandTasksAreRecordedToo) {
  const test::Variable go("GO_ON", go_file());
  Call program = start({"run", "--session", "job", "--mpi", "none", "--", "env", "LD_PRELOAD=" PVM_LIBRARY,
                        "PVM_EXPORT=LD_PRELOAD:EVENTSPACE_SESSION:EVENTSPACE_SHM_DIR:XDG_RUNTIME_DIR:GO_ON",
                        PVM_APP, "self", "3", "1", "1"});
  ASSERT_TRUE(program.says("ready")) << program.err();
  EXPECT_TRUE(testing_commands::eventually([&] { return count(events(), "pvm_recv") >= 3 + 4; }));
  go_on();
  EXPECT_EQ(program.status(), 0);
}

TEST_F(PvmProgram, TheCallsOfAFortranProgramAreRecorded) {
  if (std::string(FORTRAN_PVM_APP).empty()) GTEST_SKIP() << "it needs gfortran and libfpvm3.a";
  const test::Variable go("GO_ON", go_file());
  Call program = start({"run", "--session", "job", "--", FORTRAN_PVM_APP});
  ASSERT_TRUE(program.says("ready")) << program.err();
  std::vector<json> seen;
  EXPECT_TRUE(testing_commands::eventually([&] { return count(seen = events(), "pvm_upkint") == 1; }));
  go_on();
  EXPECT_EQ(program.status(), 0);
  EXPECT_EQ(bytes(seen, "pvm_send"), 16);
  EXPECT_EQ(bytes(seen, "pvm_recv"), 16);
}

TEST(PvmLibrary, ACommandUsesPvmIfItIsLinkedWithIt) {
  EXPECT_EQ(detect_message_library({PVM_APP}), MessageLibrary::pvm);
  EXPECT_EQ(detect_message_library({"true"}), MessageLibrary::none);
  EXPECT_FALSE(find_static_program({PVM_APP}));
  ASSERT_TRUE(find_static_program({STATIC_PVM_APP}));
  EXPECT_EQ(find_static_program({STATIC_PVM_APP})->library, "PVM");
  EXPECT_FALSE(find_static_program({EVENTSPACE_PROGRAM})) << "it has the names of the functions in it";
}

}  // namespace
}  // namespace eventspace
