#include <gmock/gmock.h>
#include <unistd.h>

#include <fstream>

#include "monitors/probing/code/instruction.h"
#include "tests/monitors/cli/program_call.h"
#include "tests/monitors/json_lines.h"
#include "tests/monitors/probing/small_elf.h"
#include "tests/monitors/probing/target.h"
#include "tests/tuplespace/temporary_directory.h"

namespace eventspace {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;
using testing_commands::call_program;
using testing_probing::SmallElf;
using testing_probing::Target;

class FunctionsCommand : public testing::Test {
 protected:
  [[nodiscard]] std::string app() const {
    const auto file = directory_.path() / "app";
    const std::string probe("app\0begin\0-4@%edi\0", 18);
    std::ofstream(file, std::ios::binary)
        << SmallElf()
               .code("\x55\x48\x89\xe5\x48\x83\xec\x10\xc9\xc3\xc3")
               .function("_ZN5solve4stepEi", 0x1000, 10)
               .function("tiny", 0x100a, 1)
               .note("GNU", 3, "\x12\x34")
               .note("stapsdt", 3, SmallElf::user_probe(0x1004, 0, 0, probe))
               .text();
    return file;
  }

  test::TemporaryDirectory directory_;
};

TEST_F(FunctionsCommand, ListsTheFunctionsOfAFile) {
  const auto call = call_program({"functions", "--file", app()});
  EXPECT_EQ(call.status, exit_fine) << call.err;
  EXPECT_THAT(call.out, AllOf(HasSubstr("solve::step(int)"), HasSubstr("0x1000"), HasSubstr("tiny")));
  if (!can_decode()) return;
  EXPECT_THAT(call.out, AllOf(HasSubstr("possible"), HasSubstr("no: it is too short")));
}

TEST_F(FunctionsCommand, ChoosesByDemangledNamesAndByNamesOfTheLinker) {
  for (const std::string pattern : {"solve::*", "solve::step", "solve::step(int)", "_ZN5solve*"}) {
    const auto call = call_program({"functions", pattern, "--file", app()});
    EXPECT_THAT(call.out, AllOf(HasSubstr("solve::step"), Not(HasSubstr("tiny")))) << pattern;
  }
}

TEST_F(FunctionsCommand, WithoutAMatchSaysHowManyFunctionsItSearched) {
  const auto call = call_program({"functions", "nothing", "--file", app()});
  EXPECT_EQ(call.status, exit_unreachable);
  EXPECT_THAT(call.err, HasSubstr("no function matches; searched 2 functions in 1 module"));
}

TEST_F(FunctionsCommand, SumsUpAModule) {
  const auto call = call_program({"functions", "--file", app(), "--summary", "--format", "json"});
  EXPECT_THAT(call.out, AllOf(HasSubstr(R"("build_id":"1234")"), HasSubstr(R"("functions":2)")));
  if (!can_decode()) return;
  EXPECT_THAT(call.out, AllOf(HasSubstr(R"("possible":1)"), HasSubstr("1: it is too short")));
}

TEST_F(FunctionsCommand, ListsTheProbesThatAuthorsHavePutIn) {
  const auto call = call_program({"functions", "app:*", "--file", app(), "--usdt"});
  EXPECT_THAT(call.out, AllOf(HasSubstr("begin"), HasSubstr("-4@%edi"), HasSubstr("solve::step(int)")));
}

TEST_F(FunctionsCommand, OfSeveralProcessesReadsEachModuleOnce) {
  const Target one({"/bin/sleep", "60"});
  const Target two({"/bin/sleep", "60"});
  const auto both = std::to_string(one.pid()) + "," + std::to_string(two.pid());
  const auto listed = [&] {
    const auto call =
        call_program({"functions", "--pid", both, "--summary", "--module", "libc.so*", "--format", "csv"});
    return std::ranges::count(call.out, '\n') == 2 &&
           call.out.find(std::to_string(one.pid()) + " " + std::to_string(two.pid())) != std::string::npos;
  };
  for (int i = 0; i < 1000 && !listed(); ++i) ::usleep(10000);  // until both have called exec()
  EXPECT_TRUE(listed());
}

TEST_F(FunctionsCommand, WithoutClassesReadsEachProcessByItselfWithTheSameResult) {
  const Target one({"/bin/sleep", "60"});
  const Target two({"/bin/sleep", "60"});
  const auto both = std::to_string(one.pid()) + "," + std::to_string(two.pid());
  const auto listed = [&] {
    const auto call = call_program({"functions", "--pid", both, "--summary", "--module", "libc.so*",
                                    "--no-classes", "--format", "json"});
    return std::ranges::count(call.out, '\n') == 1 && call.out.find("\"processes\":2") != std::string::npos;
  };
  for (int i = 0; i < 1000 && !listed(); ++i) ::usleep(10000);  // until both have called exec()
  EXPECT_TRUE(listed());
}

TEST_F(FunctionsCommand, SaysWhatIsWrongWithItsArguments) {
  const auto says = [](const std::vector<std::string>& words, int status, const std::string& text) {
    const auto call = call_program(words);
    EXPECT_EQ(call.status, status) << call.err;
    EXPECT_THAT(call.err, HasSubstr(text));
  };
  says({"functions"}, exit_usage, "--group NAME or --where EXPR, or --file FILE");
  says({"functions", "--pid", "4194304"}, exit_unreachable, "process 4194304 does not exist");
  says({"functions", "--pid", "0"}, exit_usage, "--pid");
  says({"functions", "--pid", "x"}, exit_usage, "--pid");
  says({"functions", "--name", "no-such-program"}, exit_unreachable, "'no-such-program'");
  says({"functions", "{a", "--file", app()}, exit_usage, "the pattern '{a'");
  says({"functions", "--file", "/etc/passwd"}, exit_usage, "/etc/passwd: it is not an ELF file");
  says({"functions", "--file", app(), "--hosts", "n1"}, exit_usage,
       "--file cannot be combined with a pathmap");
  says({"functions", "main", "--hosts", "n1"}, exit_usage, "no processes are chosen");
  says({"functions", "main", "--hosts", "n1", "--pid", "1"}, exit_usage, "--pid chooses processes of this");
  says({"functions", "/nowhere.yaml"}, exit_usage, "/nowhere.yaml");
  says({"functions", "--file", "/nowhere"}, exit_unreachable, "/nowhere cannot be read");
}

TEST_F(FunctionsCommand, ShowsNothingThatATerminalWouldObey) {
  const auto file = directory_.path() / "evil";
  std::ofstream(file, std::ios::binary) << SmallElf().code("\xc3").function("\x1b[2Jx", 0x1000, 1).text();
  const auto call = call_program({"functions", "--file", file});
  EXPECT_THAT(call.out, AllOf(HasSubstr("\\u001b[2Jx"), Not(HasSubstr("\x1b"))));
}

}  // namespace
}  // namespace eventspace
