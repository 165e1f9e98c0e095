#pragma once

#include <gmock/gmock.h>

#include <cstdlib>
#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "tests/monitors/json_lines.h"
#include "tests/monitors/workplace.h"

namespace eventspace::test {

/// The fixture of tests that record a running program, and run `whatif` on the recording.
class AskedRecording : public testing_commands::Workplace {
 protected:
  using Call = testing_commands::Call;
  using Words = std::vector<std::string>;

  /// Records session "job" to `recording`. The program prints "took SECONDS" and stays until the file
  /// go_file(recording) exists. `is_whole` gets the output of `info` for the recording. Returns the seconds;
  /// less than 0 on failure.
  double record(Call& program, const std::filesystem::path& recording,
                const std::function<bool(const std::string& info)>& is_whole) {
    EXPECT_TRUE(program.says("took ")) << program.err();
    Call recorder = start({"record", "job", "-o", recording.string(), "--until-end"});
    EXPECT_TRUE(testing_commands::eventually([&] {
      return std::filesystem::exists(recording) && is_whole(call({"info", recording.string()}).out());
    })) << recorder.err();
    write(go_file(recording).filename().string(), "");
    EXPECT_EQ(program.status(), 0) << program.err();
    EXPECT_EQ(recorder.status(), 0) << recorder.err();
    return seconds_in(program.out());
  }
  [[nodiscard]] std::filesystem::path go_file(const std::filesystem::path& recording) const {
    return file("go." + recording.filename().string());
  }
  /// The rows of `whatif`, as JSON.
  std::vector<nlohmann::json> ask(const std::filesystem::path& recording, const Words& more) {
    Words words{"whatif", recording.string(), "--format", "json"};
    words.insert(words.end(), more.begin(), more.end());
    Call answer = call(words);
    EXPECT_EQ(answer.status(), 0) << answer.err();
    said_ = answer.err();
    return testing_commands::objects_in(answer.out());
  }
  /// The standard error of the last ask().
  [[nodiscard]] const std::string& said() const { return said_; }

  /// The duration that a program has printed; less than 0 if it is missing.
  static double seconds_in(const std::string& text) {
    const std::string before = "took ";
    const std::size_t at = text.find(before);
    return at == std::string::npos ? -1 : std::strtod(text.c_str() + at + before.size(), nullptr);
  }

 private:
  std::string said_;
};

}  // namespace eventspace::test
