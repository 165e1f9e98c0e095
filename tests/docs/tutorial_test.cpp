#include <fmt/format.h>
#include <gtest/gtest.h>
#include <stdlib.h>

#include <filesystem>
#include <sstream>

#include "tests/docs/page.h"
#include "tests/docs/transcript.h"
#include "tests/monitors/workplace.h"
#include "tests/tuplespace/variable.h"

// Runs all commands of a page, in order and in one shell, and compares their output with the page.

namespace eventspace::docs {
namespace {

namespace fs = std::filesystem;

constexpr const char* end_of_output = "-- end of the output of a command --";

/// A directory that looks like the source tree to the commands of a page, and the shell in which they run.
class Tutorial : public testing_commands::Workplace {
 protected:
  Tutorial() {
    fs::create_directory(file("tree"));
    for (const char* folder : {"examples", "pathmaps"})
      fs::create_directory_symlink(fs::path(EVENTSPACE_SOURCE) / folder, file("tree") / folder);
  }

  /// The output of each command to standard output and error, in order.
  std::vector<std::vector<std::string>> outputs_of(const std::vector<ShownCommand>& commands) {
    std::string script = "exec 2>&1\ncd " + file("tree").string() + "\n";
    for (const ShownCommand& command : commands) {
      script += fmt::format("{}\n{{ status=$?; printf '%s\\n' '{}'; (exit $status); }}\n", command.words,
                            end_of_output);
    }
    auto shell = start({}, {"/bin/bash", write("page.sh", script).string()});
    EXPECT_EQ(shell.status(), 0) << shell.out();
    return split(shell.out());
  }

 private:
  test::Variable path_{"PATH", fmt::format("{}:{}", EVENTSPACE_PROGRAMS, ::getenv("PATH"))};

  static std::vector<std::vector<std::string>> split(const std::string& text) {
    std::vector<std::vector<std::string>> parts(1);
    for (const std::string& line : lines_of(text)) {
      if (line == end_of_output) {
        parts.emplace_back();
      } else {
        parts.back().push_back(line);
      }
    }
    return parts;
  }
};

std::string joined(const std::vector<std::string>& lines) {
  std::string text;
  for (const std::string& line : lines) text += line + "\n";
  return text;
}

std::vector<ShownCommand> commands_of_page(const fs::path& page) {
  std::vector<ShownCommand> commands;
  for (const Block& block : blocks_of(page)) {
    if (block.language != "console") continue;
    for (ShownCommand& command : commands_of(block)) commands.push_back(std::move(command));
  }
  return commands;
}

class Commands : public Tutorial, public testing::WithParamInterface<const char*> {};

TEST_P(Commands, DoWhatThePageShows) {
  const auto commands = commands_of_page(fs::path(EVENTSPACE_SOURCE) / "docs" / GetParam());
  ASSERT_GT(commands.size(), 5u);
  const auto outputs = outputs_of(commands);
  ASSERT_GE(outputs.size(), commands.size());
  for (std::size_t i = 0; i < commands.size(); ++i) {
    EXPECT_TRUE(is_shown_by(commands[i].output, outputs[i]))
        << "line " << commands[i].line << ": $ " << commands[i].words << "\nshown:\n"
        << joined(commands[i].output) << "written:\n"
        << joined(outputs[i]);
  }
}

INSTANTIATE_TEST_SUITE_P(OfPages, Commands, testing::Values("library.md", "sessions.md"),
                         [](const auto& page) {
                           return std::string(page.param).substr(0, std::string(page.param).find('.'));
                         });

}  // namespace
}  // namespace eventspace::docs
