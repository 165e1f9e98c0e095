#include <gmock/gmock.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "monitors/doctor/diagnosis.h"
#include "tests/monitors/cli/program_call.h"
#include "tests/monitors/json_lines.h"

namespace eventspace {
namespace {

using testing::HasSubstr;
using testing::Not;
using testing_commands::call_program;
using testing_commands::test_build;

constexpr std::uint64_t mebibyte = 1 << 20;

/// A machine without problems.
MachineFacts good_machine() {
  MachineFacts facts;
  facts.build = test_build;
  facts.shared_memory = {"/dev/shm/eventspace-7", "", true, 512 * mebibyte, 1024 * mebibyte};
  facts.runtime = {"/run/user/7/eventspace", "", true, mebibyte, mebibyte};
  facts.uses_tsc = true;
  facts.clock_source = "tsc";
  facts.soft_descriptors = 1024;
  facts.hard_descriptors = 4096;
  facts.locked_bytes = 8 * mebibyte;
  facts.perf_paranoid = 2;
  facts.graphviz = "/usr/bin/dot";
  return facts;
}

Diagnosis worst_of(const std::vector<Finding>& findings, const std::string& check) {
  Diagnosis worst = Diagnosis::ok;
  for (const Finding& finding : findings)
    if (finding.check == check) worst = std::max(worst, finding.diagnosis);
  return worst;
}

TEST(Doctor, ReportsNothingOnAGoodMachine) {
  for (const Finding& finding : diagnose(good_machine())) {
    EXPECT_EQ(finding.diagnosis, Diagnosis::ok) << finding.check << ": " << finding.found;
    EXPECT_EQ(finding.advice, "");
  }
}

struct Ailment {
  const char* name;
  void (*befall)(MachineFacts&);
  const char* check;
  Diagnosis diagnosis;
};

class DoctorFinds : public testing::TestWithParam<Ailment> {};

TEST_P(DoctorFinds, AndSaysWhatToDo) {
  MachineFacts facts = good_machine();
  GetParam().befall(facts);
  const auto findings = diagnose(facts);
  EXPECT_EQ(worst_of(findings, GetParam().check), GetParam().diagnosis);
  for (const Finding& finding : findings) {
    EXPECT_EQ(finding.diagnosis != Diagnosis::ok, !finding.advice.empty()) << finding.check;
    EXPECT_TRUE(finding.diagnosis == Diagnosis::ok || finding.check == GetParam().check) << finding.check;
  }
}

INSTANTIATE_TEST_SUITE_P(
    Ailments, DoctorFinds,
    testing::Values(
        Ailment{"NoSharedMemory", [](auto& facts) { facts.shared_memory.refusal = "no permission"; },
                "shared memory", Diagnosis::fail},
        Ailment{"FullMemory", [](auto& facts) { facts.shared_memory.free_bytes = 1000; }, "shared memory",
                Diagnosis::fail},
        Ailment{"SmallMemory", [](auto& facts) { facts.shared_memory.free_bytes = 10 * mebibyte; },
                "shared memory", Diagnosis::warn},
        Ailment{"MemoryOnDisk", [](auto& facts) { facts.shared_memory.is_in_memory = false; },
                "shared memory", Diagnosis::warn},
        Ailment{"UnknownProcesses", [](auto& facts) { facts.unknown_files = 2; }, "unknown processes",
                Diagnosis::warn},
        Ailment{"Orphans", [](auto& facts) { facts.orphans = 3; }, "left files", Diagnosis::warn},
        Ailment{"NoRuntimeDirectory", [](auto& facts) { facts.runtime.refusal = "open to others"; },
                "runtime directory", Diagnosis::fail},
        Ailment{"TakenName", [](auto& facts) { facts.taken_names = {"/tmp/eventspace-7 belongs to user 8"}; },
                "runtime directory", Diagnosis::warn},
        Ailment{"SlowClock", [](auto& facts) { facts.uses_tsc = false; }, "clock", Diagnosis::warn},
        Ailment{"WrongClock", [](auto& facts) { facts.clock_refusal = "EVENTSPACE_CLOCK=x"; }, "clock",
                Diagnosis::fail},
        Ailment{"FewDescriptors", [](auto& facts) { facts.hard_descriptors = 256; }, "descriptors",
                Diagnosis::warn},
        Ailment{"ConnectionsButNoFiles", [](auto& facts) { facts.hard_descriptors = 1024; }, "descriptors",
                Diagnosis::warn},
        Ailment{"HardlyADescriptor", [](auto& facts) { facts.hard_descriptors = 16; }, "descriptors",
                Diagnosis::fail},
        Ailment{"NoWatches", [](auto& facts) { facts.may_watch_directories = false; }, "inotify",
                Diagnosis::warn},
        Ailment{"NoPtrace", [](auto& facts) { facts.ptrace_scope = 1; }, "ptrace", Diagnosis::warn},
        Ailment{"NoPerf", [](auto& facts) { facts.perf_paranoid = 4; }, "perf", Diagnosis::warn},
        Ailment{"NoPerfInTheKernel", [](auto& facts) { facts.perf_paranoid.reset(); }, "perf",
                Diagnosis::warn},
        Ailment{"OpenKeys",
                [](auto& facts) {
                  facts.keys = {{"/x/keys", "mode 0644"}};
                },
                "keys", Diagnosis::fail},
        Ailment{"OldServer",
                [](auto& facts) {
                  facts.servers = {{17, "eventspace serve", false, "1.0.0 ab"}};
                },
                "server", Diagnosis::warn},
        Ailment{"UnknownServer",
                [](auto& facts) {
                  facts.servers = {{17, "eventspace serve", false, ""}};
                },
                "server", Diagnosis::warn},
        Ailment{"NoGraphviz", [](auto& facts) { facts.graphviz.reset(); }, "graphviz", Diagnosis::warn}),
    [](const auto& info) { return info.param.name; });

TEST(Doctor, RightsOfRootMakeUpForLimits) {
  MachineFacts facts = good_machine();
  facts.ptrace_scope = 1;
  facts.perf_paranoid = 4;
  facts.has_ptrace_right = facts.has_perf_right = true;
  EXPECT_EQ(worst_of(diagnose(facts), "ptrace"), Diagnosis::ok);
  EXPECT_EQ(worst_of(diagnose(facts), "perf"), Diagnosis::ok);
}

TEST(Doctor, AdvisesOnlySettingsThatTheKernelHas) {
  MachineFacts facts = good_machine();
  facts.perf_paranoid.reset();
  for (const Finding& finding : diagnose(facts)) EXPECT_THAT(finding.advice, Not(HasSubstr("sysctl")));
}

TEST(Doctor, AServerOfTheSameBuildIsFineAtAnyPath) {
  MachineFacts facts = good_machine();
  facts.servers = {{17, "eventspace serve", false, "1.2.3 0123456789abcdef"},
                   {18, "eventspace serve", true, ""}};
  EXPECT_EQ(worst_of(diagnose(facts), "server"), Diagnosis::ok);
}

TEST(Doctor, FindsTheBuildInTheFileOfAProgram) {
  using namespace std::string_view_literals;
  EXPECT_EQ(build_in_program("...@(#)eventspace x\0@(#)eventspace 1.2.3 abc\0..."sv), "1.2.3 abc");
  EXPECT_EQ(build_in_program("@(#)eventspace 1.2.3 abc"sv), "1.2.3 abc");
  EXPECT_EQ(build_in_program("@(#)eventspace "sv), "");
  EXPECT_EQ(build_in_program(""sv), "");
}

TEST(Doctor, ReadsThisMachine) {
  const auto call = call_program({"doctor", "--format", "json"});
  const auto lines = testing_commands::objects_in(call.out);
  ASSERT_GE(lines.size(), 11U) << call.err;
  bool fails = false;
  for (const auto& line : lines) {
    EXPECT_EQ(line["advice"].get<std::string>().empty(), line["diagnosis"] == "ok") << line;
    fails = fails || line["diagnosis"] == "fail";
  }
  EXPECT_EQ(call.status, fails ? exit_found_wrong : exit_fine);
  EXPECT_THAT(lines.front()["found"].get<std::string>(), HasSubstr("1.2.3"));
}

}  // namespace
}  // namespace eventspace
