// Tests the heartbeat with MPI programs that hang, one fault each: it must find the fault and its ranks.
// Healthy programs, whose ranks wait for each other for longer than the set time, must not cause an alarm.
// Uses the MPI of MPI_NAME.
#include "tests/lines.h"
#include "tests/monitors/mpi/mpi_job.h"

namespace eventspace {
namespace {

using test::MpiJob;
using testing_commands::Call;

class HangTest : public MpiJob {
 protected:
  /// The stalls of the last pull.
  static nlohmann::json stalls_in(const std::string& out) {
    nlohmann::json last;
    for (const auto& object : testing_commands::objects_in(out))
      if (object["type"] == "pull") last = object["mpi_stalls"];
    return last;
  }
};

// The set time is so long that the load of the processors does not matter: the four ranks share them with two
// programs of other tests, and MPI waits busily.
constexpr const char* set_time = "1s";

struct Hang {
  const char* mode;
  const char* fault;
  const char* ranks;
};
void PrintTo(const Hang& hang, std::ostream* out) { *out << hang.mode; }

class Hangs : public HangTest, public testing::WithParamInterface<Hang> {};

TEST_P(Hangs, AreFoundWithTheirFaultAndRanks) {
  Call program = run(GetParam().mode);
  ASSERT_TRUE(program.says("ready")) << program.err();
  Call heartbeat =
      start({"heartbeat", "job", "--until-stall", "--stall", set_time, "--format", "json", "--count", "300"});
  EXPECT_EQ(heartbeat.status(), 1) << heartbeat.err();
  const nlohmann::json stalls = stalls_in(heartbeat.out());
  ASSERT_FALSE(stalls.empty()) << heartbeat.out();
  EXPECT_EQ(stalls[0]["fault"], GetParam().fault) << stalls.dump(1);
  // When one process is killed, MPICH's launcher always kills the others, whatever its options.
  const bool is_alone = std::string(GetParam().mode) != "killed" || std::string(MPI_NAME) == "openmpi";
  if (is_alone) {
    EXPECT_EQ(stalls[0]["ranks"], GetParam().ranks) << stalls.dump(1);
  }
  EXPECT_EQ(stalls.size(), 1u) << stalls.dump(1);
  RecordProperty("longest_s", stalls[0]["longest_s"].dump());  // age of the stall when it was found
}

INSTANTIATE_TEST_SUITE_P(Fault, Hangs,
                         testing::Values(Hang{"absent_computes", "absent", "2"},       //
                                         Hang{"absent_sleeps", "absent", "2"},         //
                                         Hang{"absent_from_split", "absent", "1"},     //
                                         Hang{"absent_from_finalize", "absent", "3"},  //
                                         Hang{"absent_from_started", "absent", "1"},   //
                                         Hang{"other_collective", "mismatch", "2"},    //
                                         Hang{"other_root", "mismatch", "2"},          //
                                         Hang{"two_communicators", "order", "3"},      //
                                         Hang{"lost_receive", "lost message", "1"},    //
                                         Hang{"lost_send", "lost message", "1"},       //
                                         Hang{"cycle_of_sends", "cycle", "0-3"},       //
                                         Hang{"cycle_of_receives", "cycle", "0-1"},    //
                                         Hang{"cycle_of_waits", "cycle", "0-3"},       //
                                         Hang{"partner_never_starts", "absent", "1"},  //
                                         Hang{"absent_from_init", "absent", "2"},      //
                                         Hang{"absent_from_window", "absent", "3"},    //
                                         Hang{"absent_from_fence", "absent", "2"},     //
                                         Hang{"lock_is_kept", "absent", "1"},          //
                                         Hang{"locks_in_a_circle", "cycle", "0-1"},    //
                                         Hang{"absent_from_post", "absent", "1"},      //
                                         Hang{"absent_from_complete", "absent", "0"},
                                         Hang{"absent_from_late_complete", "absent", "0"},  //
                                         Hang{"polls_in_a_circle", "cycle", "0-3"},         //
                                         Hang{"polls_from_any", "cycle", "0-3"},            //
                                         Hang{"polls_by_turns", "cycle", "0-3"},            //
                                         Hang{"polls_and_sleeps", "lost message", "2"},     //
                                         Hang{"polls_for_absent", "absent", "1"},           //
                                         Hang{"stopped", "stopped", "2"},                   //
                                         Hang{"killed", "dead", "2"},                       //
                                         Hang{"slow_but_alive", "slow but alive", "2"}),
                         [](const auto& tested) { return tested.param.mode; });

class RecordedHangs : public HangTest, public testing::WithParamInterface<const char*> {};
INSTANTIATE_TEST_SUITE_P(Fault, RecordedHangs, testing::Values("cycle_of_waits", "polls_by_turns"),
                         [](const auto& tested) { return std::string(tested.param); });

TEST_P(RecordedHangs, HaveTheSameVerdict) {
  Call program = run(GetParam());
  ASSERT_TRUE(program.says("ready")) << program.err();
  Call live =
      start({"heartbeat", "job", "--until-stall", "--stall", set_time, "--format", "json", "--count", "300"});
  ASSERT_EQ(live.status(), 1) << live.err();
  Call record = call({"record", "job", "-o", file("hang.evs"), "--for", "300ms"});
  ASSERT_EQ(record.status(), 0) << record.err();
  Call recorded = call({"heartbeat", file("hang.evs"), "--once", "--stall", set_time, "--format", "json"});
  EXPECT_EQ(recorded.status(), 1) << recorded.err();
  const nlohmann::json stalls = stalls_in(recorded.out());
  ASSERT_EQ(stalls.size(), 1u) << recorded.out();
  for (const char* const member : {"fault", "ranks"})
    EXPECT_EQ(stalls[0][member], stalls_in(live.out())[0][member]);
}

// 64 ranks share the few cores, which MPI keeps busy. The report is as long as with four ranks.
class SixtyFourRanks : public HangTest, public testing::WithParamInterface<Hang> {};

TEST_P(SixtyFourRanks, AreJudgedInAsFewLines) {
  Call program = run(GetParam().mode, "64");
  ASSERT_TRUE(program.says("ready")) << program.err();
  Call heartbeat = start({"heartbeat", "job", "--until-stall", "--stall", "5s", "--count", "300"});
  EXPECT_EQ(heartbeat.status(), 1) << heartbeat.err();
  EXPECT_THAT(heartbeat.out(), testing::HasSubstr(GetParam().fault));
  Call look = call({"heartbeat", "job", "--once", "--stall", "5s", "--format", "json"});
  const nlohmann::json stalls = stalls_in(look.out());
  ASSERT_EQ(stalls.size(), 1u) << look.out();
  EXPECT_EQ(stalls[0]["fault"], GetParam().fault);
  EXPECT_EQ(stalls[0]["ranks"], GetParam().ranks);
  Call text = call({"heartbeat", "job", "--once", "--stall", "5s"});
  EXPECT_LT(test::lines_of(text.out()).size(), 24u) << text.out();
}

INSTANTIATE_TEST_SUITE_P(Long, SixtyFourRanks,
                         testing::Values(Hang{"absent_sleeps", "absent", "2"},
                                         Hang{"two_communicators", "order", "3"},
                                         Hang{"cycle_of_sends", "cycle", "0-63"}),
                         [](const auto& tested) { return tested.param.mode; });

class Healthy : public HangTest, public testing::WithParamInterface<const char*> {
 protected:
  void watch(const std::string& pulls, std::chrono::nanoseconds limit = testing_commands::generous) {
    ::setenv("WORST_MS", "600", 1);
    Call program = run(GetParam());
    ASSERT_TRUE(program.says("ready")) << program.err();
    Call heartbeat = start({"heartbeat", "job", "--until-stall", "--stall", "400ms", "--count", pulls});
    EXPECT_EQ(heartbeat.status(limit), 0) << heartbeat.out();
    go_on();
    EXPECT_EQ(program.status(), 0) << program.err();
  }
};

// Waits of 600 ms, 1.5 times the set time: the limits are learned.
TEST_P(Healthy, ProgramsWithLongWaitsGiveNoAlarm) { watch("25"); }

// Five minutes for each program, 30 for all.
class HealthyForLong : public Healthy {};
TEST_P(HealthyForLong, ProgramsWithLongWaitsGiveNoAlarm) { watch("1500", std::chrono::minutes(10)); }

const auto healthy_modes = testing::Values("late_in_turn", "one_is_late", "master_and_workers", "pipeline",
                                           "neighbours", "two_paces", "epochs", "master_polls",
                                           "neighbours_poll", "tests_while_computing", "progress_thread");
const auto name_of_mode = [](const auto& tested) { return std::string(tested.param); };
INSTANTIATE_TEST_SUITE_P(Mode, Healthy, healthy_modes, name_of_mode);
INSTANTIATE_TEST_SUITE_P(Long, HealthyForLong, healthy_modes, name_of_mode);

}  // namespace
}  // namespace eventspace
