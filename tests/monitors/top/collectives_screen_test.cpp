#include "tests/monitors/collectives/collectives_workplace.h"
#include "tests/monitors/top/terminal_program.h"

// The screen of collectives of `eventspace top`, on a terminal of its own beside a running application.
namespace eventspace {
namespace {

using testing_commands::TerminalEmulator;
using testing_commands::TerminalProgram;

class CollectivesScreen : public testing_commands::CollectivesWorkplace {
 protected:
  CollectivesScreen() {
    pathmap_ = pathmap(
        "scopes:\n"
        "  heartbeat: {levels: [{group: all, wrapper: gather}, {group: node, wrapper: gather}]}\n");
  }
  void open(const std::vector<std::string>& how) {
    begin(how);
    program_.emplace(
        std::vector<std::string>{EVENTSPACE_PROGRAM, "top", pathmap_, "--interval", "50ms", "--stall", "30s"},
        rows, 80);
    ASSERT_TRUE(program_->sees("6 threads")) << program_->seen().text();
    program_->type("4");
    ASSERT_TRUE(program_->sees("[4:collectives]")) << program_->seen().text();
  }
  void quit() {
    program_->type("q");
    EXPECT_EQ(program_->status(), 0);
    EXPECT_TRUE(program_->seen().has_cursor());
  }
  /// The line of the collective; empty if it is missing.
  static std::string line_of_sum(const TerminalEmulator& seen) {
    for (std::size_t row = 0; row < rows; ++row) {
      std::string line = seen.row(row);
      if (line.find(" sum ") != std::string::npos) return line;
    }
    return "";
  }

  static constexpr std::size_t rows = 24;
  std::optional<TerminalProgram> program_;
};

TEST_F(CollectivesScreen, NamesTheLateThread) {
  ASSERT_NO_FATAL_FAILURE(open({"late", "t2", "20"}));
  EXPECT_TRUE(program_->sees([](const auto& seen) {
    return line_of_sum(seen).find(" t2 ") != std::string::npos;
  })) << program_->seen().text();
  quit();
}

TEST_F(CollectivesScreen, NamesTheThreadThatAnOperationWaitsFor) {
  ASSERT_NO_FATAL_FAILURE(open({"absent", "t2", "200"}));
  EXPECT_TRUE(program_->sees("sum waits for t2")) << program_->seen().text();
  quit();
}

}  // namespace
}  // namespace eventspace
