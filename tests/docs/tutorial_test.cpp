#include <gtest/gtest.h>

#include <filesystem>
#include <string>
#include <vector>

#include "tests/docs/page.h"
#include "tests/docs/shown_commands.h"

// Runs all commands of a page, in order and in one shell, and compares their output with the page.

namespace eventspace::docs {
namespace {

namespace fs = std::filesystem;

/// A directory that looks like the source tree to the commands of a page.
class Tutorial : public ShownCommands {
 protected:
  Tutorial() {
    find_programs_in(EVENTSPACE_PROGRAMS);
    fs::create_directory(file("tree"));
    for (const char* folder : {"examples", "pathmaps"})
      fs::create_directory_symlink(fs::path(EVENTSPACE_SOURCE) / folder, file("tree") / folder);
  }
};

std::vector<ShownCommand> commands_of_page(const fs::path& page) {
  std::vector<ShownCommand> commands;
  for (const Block& block : blocks_of(page)) {
    if (block.language != "console") continue;
    for (ShownCommand& command : commands_of(block)) commands.push_back(std::move(command));
  }
  return commands;
}

const std::vector<const char*> run_pages{
#ifdef EVENTSPACE_HAS_C
    "c.md",
#endif
    "library.md", "sessions.md"};

class Commands : public Tutorial, public testing::WithParamInterface<const char*> {};

TEST_P(Commands, DoWhatThePageShows) {
  const auto commands = commands_of_page(fs::path(EVENTSPACE_SOURCE) / "docs" / GetParam());
  ASSERT_GE(commands.size(), 5u);
  expect_outputs(commands, file("tree"));
}

INSTANTIATE_TEST_SUITE_P(OfPages, Commands, testing::ValuesIn(run_pages), [](const auto& page) {
  return std::string(page.param).substr(0, std::string(page.param).find('.'));
});

}  // namespace
}  // namespace eventspace::docs
