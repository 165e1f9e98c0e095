#include "tests/monitors/collectives_workplace.h"
#include "tests/monitors/terminal_program.h"

// The screen of collectives of `eventspace top`, on a terminal of its own beside a running application.
namespace eventspace {
namespace {

using testing_commands::TerminalEmulator;
using testing_commands::TerminalProgram;

class CollectivesScreen : public testing_commands::CollectivesWorkplace {
 protected:
  [[nodiscard]] std::vector<std::string> top() const {
    return {EVENTSPACE_PROGRAM, "top", pathmap_, "--interval", "50ms", "--stall", "30s"};
  }
  /// Where there is a line with both.
  static bool has_line(const TerminalEmulator& seen, const std::string& one, const std::string& other) {
    for (std::size_t row = 0; row < 24; ++row) {
      const std::string line = seen.row(row);
      if (line.find(one) != std::string::npos && line.find(other) != std::string::npos) return true;
    }
    return false;
  }

  CollectivesScreen() {
    pathmap_ = pathmap(
        "scopes:\n"
        "  heartbeat: {levels: [{group: all, wrapper: gather}, {group: node, wrapper: gather}]}\n");
  }
};

TEST_F(CollectivesScreen, NamesWhoComesLastAndWhoCostTheOthersMost) {
  begin({"late", "t2", "20"});
  TerminalProgram program(top(), 24, 80);
  ASSERT_TRUE(program.sees("6 threads")) << program.seen().text();
  program.type("4");
  EXPECT_TRUE(program.sees("[4 collectives]")) << program.seen().text();
  EXPECT_TRUE(program.sees([](const auto& seen) { return has_line(seen, "sum ", " t2 "); }))
      << program.seen().text();
  program.type("q");
  EXPECT_EQ(program.status(), 0);
  EXPECT_TRUE(program.seen().has_cursor());
}

TEST_F(CollectivesScreen, NamesWhomAnOperationWaitsFor) {
  begin({"absent", "t2", "200"});
  TerminalProgram program(top(), 24, 80);
  ASSERT_TRUE(program.sees("6 threads")) << program.seen().text();
  program.type("4");
  EXPECT_TRUE(program.sees("sum waits for t2")) << program.seen().text();
  program.type("q");
  EXPECT_EQ(program.status(), 0);
}

}  // namespace
}  // namespace eventspace
