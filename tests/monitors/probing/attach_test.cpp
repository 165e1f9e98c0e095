#include <gmock/gmock.h>
#include <unistd.h>

#include <filesystem>
#include <memory>

#include <eventspace/error.h>
#include "collectors/clock.h"
#include "collectors/probe_record.h"
#include "monitors/probing/attaching/attached_segment.h"
#include "monitors/probing/attaching/held_program.h"
#include "monitors/probing/work/probed_process.h"
#include "tests/error_text.h"
#include "tests/monitors/probing/target.h"

#ifdef EVENTSPACE_HAS_ZYDIS

// Records of probes in running programs. They are in a segment that readers treat like one of the program
// itself.

namespace eventspace {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;
using testing_probing::eventually;
using testing_probing::state_of;
using testing_probing::Target;
using testing_probing::text_of;

std::string unique_session() { return "attach-test-" + std::to_string(::getpid()); }

std::string output_of(std::vector<std::string> words, int status = 0) {
  const fs::path out = fs::temp_directory_path() / ("eventspace-attach-" + std::to_string(::getpid()));
  words.insert(words.begin(), EVENTSPACE_PROGRAM);
  Target tool(words, out);
  EXPECT_EQ(tool.process().wait().status, status) << words[1] << ": " << text_of(out);
  const std::string text = text_of(out);
  fs::remove(out);
  return text;
}

class AttachedProgram : public testing::Test {
 protected:
  void SetUp() override {
    if (!Clock::instance().uses_tsc()) GTEST_SKIP() << "this machine's time stamp counter is not trustworthy";
  }

  /// Puts probes into the process that record in `segment`.
  ProbedProcess probe(std::int32_t pid, AttachedSegment& segment, const ProbeTask& task) {
    const CompiledTask compiled = compile_task(task);
    ProbePlan plan = plan_probes(pid, "hot_real", "hot_app", compiled.has_exits);
    for (PlannedFunction& function : plan.functions)
      function.probe.name = segment.number_of(function.function, task.values);
    return ProbedProcess(pid, plan, compiled, segment.recorded());
  }
};

TEST_F(AttachedProgram, ThatEndsByItselfHasCountedEachCallHoweverShortItWas) {
  for (const bool has_times : {false, true}) {
    for (const std::string calls : {"1", "70000"}) {
      std::vector<std::string> words{"attach", "--probe",   "=short_work",   "--format",
                                     "csv",    "--session", unique_session()};
      if (has_times) words.emplace_back("--time");
      words.insert(words.end(), {"--", SHORT_APP, calls});
      EXPECT_THAT(output_of(words), testing::ContainsRegex("[0-9]+," + calls + ",.*short_work")) << has_times;
    }
  }
}

TEST_F(AttachedProgram, HasEachCallAsARecord) {
  Target target({HOT_APP, "1"}, "/dev/null");
  ASSERT_TRUE(eventually([&] { return state_of(target.pid()) == 'T'; }));
  AttachedSegment segment(unique_session(), "hot:1");
  ProbeTask task;
  task.has_times = true;
  task.values = {"int0", "int0 * 2", "1 / int0"};
  ProbedProcess probed = probe(target.pid(), segment, task);
  ASSERT_EQ(probed.functions().size(), 1U) << testing::PrintToString(probed.refusals());
  target.process().signal(SIGCONT);
  ASSERT_TRUE(eventually([&] { return state_of(target.pid()) != 'T'; }));
  ASSERT_TRUE(eventually([&] { return state_of(target.pid()) == 'T'; }));
  ASSERT_TRUE(probed.look());
  const auto tids = probed.recording_threads();
  ASSERT_TRUE(tids);
  segment.refresh(*tids, 0);
  const SegmentView view(segment.recorded().file);
  std::uint64_t records = 0;
  std::uint64_t checked = 0;
  for (const SegmentView::Trace& trace : view.traces()) {
    records += trace.reader.published();
    std::vector<TraceTuple> tuples;
    const auto batch = trace.reader.read_after(0, 2000, tuples);
    EXPECT_EQ(batch.torn, 0U);
    for (const TraceTuple& tuple : tuples) {
      const RecordHeader header = header_of(tuple);
      EXPECT_EQ(header.kind, probe_kind);
      if (header.part != 0) continue;
      EXPECT_EQ(header.thread, trace.spec.thread);
      EXPECT_GE(header.end, header.start);
      EXPECT_EQ(tuple.words[6], tuple.words[5] * 2);
      EXPECT_LT(tuple.words[5], 9U);
      ++checked;
    }
  }
  EXPECT_GT(checked, 100U);
  // Calls of forked children are counted, but not recorded: a trace element has one writer.
  const auto& counted = probed.functions().at(0);
  EXPECT_EQ(counted.calls, 2000U * (1 + 8 + 9));
  EXPECT_EQ(records, 2 * 2000U * (1 + 8 + 8) - 2 * counted.measured.unrecorded) << "two records a call";
  EXPECT_EQ((*tids)[0], target.pid());
  EXPECT_TRUE(probed.remove().is_whole);
  target.process().signal(SIGCONT);
  EXPECT_TRUE(target.process().wait().is_fine());
}

TEST_F(AttachedProgram, IsSeenByMonitorsAndIsAsBeforeWhenDetached) {
  const fs::path rounds = fs::temp_directory_path() / ("eventspace-rounds-" + std::to_string(::getpid()));
  Target target({HOT_APP}, rounds);
  const std::string session = unique_session();
  const std::string pid = std::to_string(target.pid());
  const fs::path out = fs::temp_directory_path() / ("eventspace-attached-" + pid);
  const auto maps = [&] {
    std::vector<std::string> files;
    for (const MappedRange& range : mapped_ranges(target.pid()))
      if (range.inode != 0) files.push_back(range.path + (range.is_writable ? " w" : ""));
    return files;
  };
  ASSERT_TRUE(eventually([&] { return !text_of(rounds).empty(); })) << "it has begun";
  const auto before = maps();
  Target tool({EVENTSPACE_PROGRAM, "attach", "--pid", pid, "--probe", "hot_real", "--time", "--value", "int0",
               "--session", session},
              out);
  ASSERT_TRUE(eventually([&] { return text_of(out).find("watch it with") != std::string::npos; }))
      << text_of(out);
  EXPECT_TRUE(eventually([&] {
    return output_of({"events", session, "--for", "300ms", "--format", "csv"}).find("hot_real") !=
           std::string::npos;
  }));
  EXPECT_THAT(output_of({"values", session, "--for", "300ms"}), HasSubstr("hot_app:" + pid));
  EXPECT_THAT(output_of({"segments"}), HasSubstr("hot_app:" + pid));
  EXPECT_THAT(output_of({"detach", "--pid", pid}), HasSubstr("1 probe removed"));
  EXPECT_EQ(maps(), before);
  EXPECT_EQ(tool.process().wait().status, 0) << text_of(out);
  fs::remove(out);
  fs::remove(rounds);
  target.process().signal(SIGTERM);
  EXPECT_TRUE(target.process().wait().is_fine());
}

TEST(AttachCommand, HoldsAProgramUntilItsFirstProbesAreIn) {
  if (!Clock::instance().uses_tsc()) GTEST_SKIP() << "this machine's time stamp counter is not trustworthy";
  const std::string out = output_of({"attach", "--probe", "main", "--module", "stack_app", "--session",
                                     unique_session(), "--format", "csv", "--", STACK_APP, "sleep"});
  EXPECT_THAT(out, testing::ContainsRegex("\n[0-9]+,1,[0-9]+,[^\n]*,main\n"));
}

TEST(AttachCommand, TakesAsManyFilesAsTheSystemAllows) {
  if (!Clock::instance().uses_tsc()) GTEST_SKIP() << "this machine's time stamp counter is not trustworthy";
  constexpr std::size_t processes = 16;  // each needs a descriptor
  std::vector<std::unique_ptr<Target>> targets;
  std::string pids;
  for (std::size_t i = 0; i < processes; ++i) {
    targets.push_back(std::make_unique<Target>(std::vector<std::string>{HOT_APP}, "/dev/null"));
    const std::int32_t pid = targets.back()->pid();
    pids += (pids.empty() ? "" : ",") + std::to_string(pid);
    ASSERT_TRUE(eventually([&] { return text_of("/proc/" + std::to_string(pid) + "/comm") == "hot_app\n"; }));
  }
  const auto says = [&](const std::string& limit, int status) {
    const fs::path out = fs::temp_directory_path() / ("eventspace-many-" + std::to_string(::getpid()));
    Target tool({"sh", "-c",
                 "ulimit " + limit + "; exec " + EVENTSPACE_PROGRAM +
                     " attach --probe hot_real --module hot_app --for 1ms --session " + unique_session() +
                     " --pid " + pids},
                out);
    EXPECT_EQ(tool.process().wait().status, status) << text_of(out);
    const std::string text = text_of(out);
    fs::remove(out);
    return text;
  };
  EXPECT_THAT(says("-Sn 16", 0), HasSubstr("watch it with"));
  (void)says("-n 16", 3);  // there are no descriptors left
}

TEST(AttachCommand, SaysWhatIsWrongWithItsArguments) {
  EXPECT_THAT(output_of({"attach", "--pid", "1"}, 2), HasSubstr("--probe GLOB"));
  EXPECT_THAT(output_of({"attach", "--probe", "main"}, 2), HasSubstr("--pid N, --name GLOB"));
  EXPECT_THAT(output_of({"attach", "--probe", "main", "--pid", "1", "--", "true"}, 2),
              HasSubstr("CMD cannot be combined with options that choose"));
  EXPECT_THAT(output_of({"attach", "--probe", "main", "--hosts", "n1", "--", "true"}, 2),
              HasSubstr("CMD cannot be combined with PATHMAP or --hosts"));
  EXPECT_THAT(output_of({"attach", "--probe", "main", "--", "/no/such/program"}, 3),
              HasSubstr("cannot execute"));
  EXPECT_THAT(output_of({"attach", "--probe", "main", "--value", "x", "--", "true"}, 2),
              HasSubstr("unknown field 'x'"));
  EXPECT_THAT(output_of({"detach"}, 2), HasSubstr("--pid N, --name GLOB"));
}

TEST(HeldProgram, IsStoppedBeforeMain) {
  HeldProgram held({HOT_APP, "0"});
  EXPECT_EQ(state_of(held.pid()), 'T');
  ProbedProcess probed(held.pid(), plan_probes(held.pid(), "main", "hot_app"));
  held.go_on();
  ASSERT_TRUE(eventually([&] { return probed.look() && probed.functions().at(0).calls == 1; }));
  EXPECT_TRUE(eventually([&] { return state_of(held.pid()) == 'T'; })) << "it stops itself at first";
  (void)probed.remove();
  ::kill(held.pid(), SIGCONT);
  ASSERT_TRUE(eventually([&] {
    ::kill(held.pid(), SIGCONT);  // the last one
    return state_of(held.pid()) == 'Z';
  }));
  EXPECT_TRUE(held.wait().is_fine());
}

TEST(HeldProgram, NamesAMissingProgram) {
  EXPECT_THAT(test::error_text<EnvironmentError>([&] { HeldProgram({"/no/such/program"}); }),
              HasSubstr("cannot execute /no/such/program"));
}

}  // namespace
}  // namespace eventspace

#endif
