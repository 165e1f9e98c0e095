#include "monitors/probing/variables/program_variable.h"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <sys/resource.h>
#include <unistd.h>

#include <filesystem>
#include <iterator>
#include <memory>

#include <eventspace/error.h>
#include "monitors/probing/tracing/process_memory.h"
#include "monitors/probing/variables/variable_reader.h"
#include "tests/error_text.h"
#include "tests/monitors/probing/target.h"
#include "tests/tuplespace/system/few_descriptors.h"
#include "tuplespace/system/mapping.h"

// Variables of running programs, read from outside.

namespace eventspace {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;
using testing_probing::eventually;
using testing_probing::Target;
using testing_probing::text_of;

std::string fault_of(const std::function<void()>& action) { return test::error_text<Error>(action); }

/// fault_app, which counts in fault::steps, and keeps half of it in fault::residual.
class VariableOfProgram : public testing::Test {
 protected:
  [[nodiscard]] ProgramVariable variable(const std::string& text) const {
    return {target_.pid(), parse_variable(text)};
  }
  void SetUp() override {
    ASSERT_TRUE(eventually([&] { return fault_of([&] { (void)variable("fault::steps"); }).empty(); }));
  }
  static std::int64_t whole(const ProgramVariable& variable) {
    return std::get<std::int64_t>(variable.read());
  }

  Target target_{{FAULT_APP, "exec", HOT_APP}, "/dev/null"};
};

TEST_F(VariableOfProgram, HasItsCurrentValue) {
  const ProgramVariable steps = variable("fault::steps");
  ASSERT_TRUE(eventually([&] { return whole(steps) > 3; }));
  const std::int64_t before = whole(steps);
  EXPECT_TRUE(eventually([&] { return whole(steps) > before; }));
  EXPECT_GT(std::get<double>(variable("fault::residual:double").read()), 1);
  EXPECT_EQ(std::get<bool>(variable("fault::is_read:bool").read()), true);
  EXPECT_GT(std::get<std::uint64_t>(variable("_ZN5fault5stepsE:unsigned").read()), 3U)
      << "as the linker names it";
}

TEST_F(VariableOfProgram, IsRefusedWithTheReason) {
  EXPECT_THAT(fault_of([&] { (void)variable("fault::nowhere"); }),
              HasSubstr("has no variable 'fault::nowhere'"));
  EXPECT_THAT(fault_of([&] { (void)variable("fault::steps:double"); }),
              HasSubstr("has 4 bytes, but type 'double' has 8"));
  EXPECT_THAT(fault_of([&] { (void)variable("fault::is_read"); }), HasSubstr("has 1 bytes"));
  EXPECT_THAT(fault_of([] { (void)parse_variable("x:text"); }), HasSubstr("known: bool, int"));
  EXPECT_THAT(fault_of([] { (void)parse_variable(""); }), HasSubstr("needs a name"));
  EXPECT_EQ(parse_variable("a::b").name, "a::b");
  const ProgramVariable steps = variable("fault::steps");
  target_.process().signal(SIGKILL);
  EXPECT_TRUE(eventually([&] { return !fault_of([&] { (void)steps.read(); }).empty(); }));
}

TEST_F(VariableOfProgram, IsReadByTheCommandOnceOrInPhases) {
  const fs::path out = fs::temp_directory_path() / ("eventspace-variable-" + std::to_string(::getpid()));
  const auto says = [&](std::vector<std::string> words, int status) {
    words.insert(words.begin(), {EVENTSPACE_PROGRAM, "probe", "--pid", std::to_string(target_.pid())});
    Target tool(words, out);
    EXPECT_EQ(tool.process().wait().status, status);
    const std::string text = text_of(out);
    fs::remove(out);
    return text;
  };
  const std::string row = "[0-9.]+," + std::to_string(target_.pid()) + ",fault::steps,[0-9]+\n";
  EXPECT_THAT(says({"--variable", "fault::steps", "--format", "csv"}, 0),
              testing::MatchesRegex("time_s,process,variable,value\n" + row));
  EXPECT_THAT(says({"--variable", "fault::steps", "--phase", "5ms", "--for", "12ms", "--format", "csv"}, 0),
              testing::MatchesRegex("time_s,process,variable,value\n(" + row + ")+"));
  EXPECT_THAT(says({"--variable", "nowhere"}, 3), HasSubstr("has no variable 'nowhere'"));
  EXPECT_THAT(says({"--variable", "x", "--for", "1s"}, 2), HasSubstr("--for needs --phase"));
  EXPECT_THAT(says({"--phase", "1s"}, 2), HasSubstr("no functions are chosen"));
  EXPECT_THAT(says({"main", "--variable", "x"}, 2), HasSubstr("without probes"));
}

/// The lowest free descriptor: the number of open ones, if they are consecutive.
int next_descriptor() {
  const FileHandle file(::open("/dev/null", O_RDONLY | O_CLOEXEC));
  return file.get();
}

std::int64_t open_descriptors() {
  return std::distance(fs::directory_iterator("/proc/self/fd"), fs::directory_iterator());
}

TEST_F(VariableOfProgram, TakesOneDescriptorForEachProcess) {
  VariableReader reader;
  const std::int64_t before = open_descriptors();
  for (const char* const name : {"fault::steps", "fault::residual:double", "fault::is_read:bool"})
    EXPECT_TRUE(reader.read(target_.pid(), name).value) << name;
  EXPECT_EQ(open_descriptors(), before + 1);
  EXPECT_FALSE(reader.read(target_.pid(), "fault::nowhere").value);
  reader.forget_unread();
  EXPECT_EQ(open_descriptors(), before + 1);
  reader.forget_unread();
  EXPECT_EQ(open_descriptors(), before) << "not read since the last call";
  EXPECT_FALSE(reader.read(target_.pid(), "fault::nowhere").value);
  EXPECT_EQ(open_descriptors(), before) << "none for refusals";
}

TEST_F(VariableOfProgram, IsReadInMoreProcessesThanShellsAllowFilesIfTheSystemAllowsIt) {
  std::vector<std::unique_ptr<Target>> more;
  std::string pids = std::to_string(target_.pid());
  for (int i = 0; i < 15; ++i) {
    more.push_back(
        std::make_unique<Target>(std::vector<std::string>{FAULT_APP, "exec", HOT_APP}, "/dev/null"));
    pids += "," + std::to_string(more.back()->pid());
    const std::int32_t pid = more.back()->pid();
    ASSERT_TRUE(eventually([&] {
      return fault_of([&] { (void)ProgramVariable(pid, parse_variable("fault::steps")); }).empty();
    }));
  }
  const auto says = [&](const std::string& limit, int status) {
    const fs::path out = fs::temp_directory_path() / ("eventspace-many-" + std::to_string(::getpid()));
    Target tool(
        {"sh", "-c",
         "ulimit " + limit + "; exec " + EVENTSPACE_PROGRAM + " probe --variable fault::steps --pid " + pids},
        out);
    EXPECT_EQ(tool.process().wait().status, status);
    const std::string text = text_of(out);
    fs::remove(out);
    return text;
  };
  EXPECT_THAT(says("-Sn 16", 0), Not(HasSubstr("open files")));
  EXPECT_THAT(says("-n 16", 3), HasSubstr("oo many open files"));
}

TEST(ProcessMemory, NamesTheLimitOfOpenFilesThatIsTooLow) {
  if (!test::FewDescriptors::possible) GTEST_SKIP() << test::FewDescriptors::why_not;
  std::string refusal;
  ::rlimit limit{};
  {
    const test::FewDescriptors none;
    refusal = fault_of([] { const ProcessMemory memory(::getpid()); });
    ASSERT_EQ(::getrlimit(RLIMIT_NOFILE, &limit), 0);
  }
  ASSERT_LT(limit.rlim_cur, limit.rlim_max);
  EXPECT_THAT(refusal, HasSubstr("too many open files here; raise the limit (`ulimit -n`)"));
}

TEST_F(VariableOfProgram, ThatCannotBeReadForAMomentIsReadLater) {
  VariableReader reader;
  const auto read = [&] { return reader.read(target_.pid(), "fault::steps"); };
  ::rlimit limit{};
  ASSERT_EQ(::getrlimit(RLIMIT_NOFILE, &limit), 0);
  const ::rlimit none{static_cast<::rlim_t>(next_descriptor()), limit.rlim_max};
  ASSERT_EQ(::setrlimit(RLIMIT_NOFILE, &none), 0);
  std::vector<VariableReader::Reading> refused;
  for (int i = 0; i < 3; ++i) refused.push_back(read());
  ASSERT_EQ(::setrlimit(RLIMIT_NOFILE, &limit), 0);
  for (const VariableReader::Reading& one : refused) EXPECT_THAT(one.refusal, HasSubstr("open files"));
  // It is looked up at the first, the second and the fourth read.
  std::vector<bool> has_value;
  for (int i = 0; i < 2; ++i) has_value.push_back(read().value.has_value());
  EXPECT_THAT(has_value, testing::ElementsAre(true, true));
}

TEST_F(VariableOfProgram, IsLookedUpAgainWhenTheProcessRunsAnotherProgram) {
  VariableReader reader;
  const std::string later = "signals_seen";  // a variable of hot_app
  const ProgramVariable steps = variable("fault::steps");
  ASSERT_TRUE(eventually([&] { return whole(steps) > 3; })) << "it works, and has handlers for signals";
  EXPECT_TRUE(reader.read(target_.pid(), "fault::steps").value);
  EXPECT_THAT(reader.read(target_.pid(), later).refusal, HasSubstr("has no variable"));
  target_.process().signal(SIGUSR2);
  EXPECT_TRUE(eventually([&] { return reader.read(target_.pid(), later).value.has_value(); }));
  EXPECT_THAT(reader.read(target_.pid(), "fault::steps").refusal, Not(IsEmpty()));
}

}  // namespace
}  // namespace eventspace
