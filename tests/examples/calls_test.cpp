#include <gmock/gmock.h>
#include <unistd.h>

#include <filesystem>

#include "tests/monitors/probing/hot_program.h"

#ifdef EVENTSPACE_HAS_ZYDIS

// The example of probes in programs that run.

namespace eventspace {
namespace {

using testing::ContainsRegex;
using testing::HasSubstr;
using testing_probing::HotProgram;
using testing_probing::Target;
using testing_probing::text_of;

std::string output_of(std::vector<std::string> words, int status) {
  const auto out =
      std::filesystem::temp_directory_path() / ("eventspace-calls-" + std::to_string(::getpid()));
  words.insert(words.begin(), CALLS_PROGRAM);
  Target calls(words, out);
  EXPECT_EQ(calls.process().wait().status, status);
  const std::string text = text_of(out);
  std::filesystem::remove(out);
  return text;
}

// The example takes processes by name, and other tests run the same program: here it has a name of its own.
class CallsExample : public HotProgram {
 protected:
  CallsExample() : HotProgram(copy()) {}
  ~CallsExample() override { std::filesystem::remove(place()); }

  static std::string name() { return "hot" + std::to_string(::getpid()); }

 private:
  static std::filesystem::path place() { return std::filesystem::temp_directory_path() / name(); }
  static std::filesystem::path copy() {
    std::filesystem::copy_file(HOT_APP, place());
    return place();
  }
};

TEST_F(CallsExample, CountsTheCallsOfAProgramAndSwitchesOneProbeOff) {
  ASSERT_TRUE(has_new_rounds(1));
  const std::string text = output_of({name(), "hot_{real,mix}", "2"}, 0);
  EXPECT_THAT(text, HasSubstr("installed: 2 probes in "));
  EXPECT_THAT(text,
              ContainsRegex("hot_real of " + std::to_string(target_.pid()) + ": [1-9][0-9]* calls, [1-9]"));
  EXPECT_THAT(text, HasSubstr("hot_mix is off: 0 calls more\n"));
  EXPECT_THAT(text, HasSubstr("removed: 2 probes in "));
  EXPECT_TRUE(has_new_rounds(1));
  expect_right_end();
}

TEST(CallsExampleAlone, SaysWhatIsWrong) {
  EXPECT_THAT(output_of({"no-such-program", "solve*"}, 1), HasSubstr("no program 'no-such-program' runs"));
  EXPECT_THAT(output_of({"[", "solve*"}, 2), HasSubstr("calls: "));
}

}  // namespace
}  // namespace eventspace

#endif
