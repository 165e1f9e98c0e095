#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "tests/docs/transcript.h"
#include "tests/monitors/workplace.h"
#include "tests/tuplespace/variable.h"

namespace eventspace::docs {

/// The fixture of tests that run the commands of a page and compare their output with the page.
class ShownCommands : public testing_commands::Workplace {
 protected:
  /// Searches for the programs of the commands in `folder` first.
  void find_programs_in(const std::filesystem::path& folder);

  /// Runs the commands in order, in one shell that starts in `folder`.
  void expect_outputs(const std::vector<ShownCommand>& commands, const std::filesystem::path& folder);

 private:
  /// The output of each command to standard output and error, in order.
  std::vector<std::vector<std::string>> outputs_of(const std::vector<ShownCommand>& commands,
                                                   const std::filesystem::path& folder);

  std::optional<test::Variable> path_;
};

}  // namespace eventspace::docs
