#pragma once

#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <string>

#include "tests/monitors/probing/target.h"

namespace eventspace::testing_probing {

/// hot_app, which writes a line for each round.
class HotProgram : public testing::Test {
 protected:
  explicit HotProgram(const std::filesystem::path& program = HOT_APP)
      : target_({program.string()}, out_.string()) {}
  ~HotProgram() override { std::filesystem::remove(out_); }

  [[nodiscard]] std::size_t rounds() const {
    const std::string text = text_of(out_);
    return static_cast<std::size_t>(std::ranges::count(text, '\n'));
  }
  [[nodiscard]] bool has_new_rounds(std::size_t count) const {
    const std::size_t before = rounds();
    return eventually([&] { return rounds() >= before + count; });
  }
  /// The program has verified each of its results.
  void expect_right_end() {
    target_.process().signal(SIGTERM);
    const ExitState state = target_.process().wait();
    EXPECT_EQ(state.status, 0);
    EXPECT_EQ(state.signal, 0);
  }

  std::filesystem::path out_ =
      std::filesystem::temp_directory_path() / ("eventspace-hot-" + std::to_string(::getpid()));
  Target target_;
};

}  // namespace eventspace::testing_probing
