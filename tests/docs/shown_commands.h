#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "tests/docs/transcript.h"
#include "tests/monitors/workplace.h"
#include "tests/tuplespace/variable.h"

namespace eventspace::docs {

/// The fixture of tests that run the commands of a page and compare their output with the page.
class ShownCommands : public testing_commands::Workplace {
 protected:
  /// `programs`: a folder with the programs of the commands, searched first.
  explicit ShownCommands(const std::filesystem::path& programs);

  /// Runs the commands in order, in one shell that starts in `folder`.
  void expect_outputs(const std::vector<ShownCommand>& commands, const std::filesystem::path& folder);

 private:
  /// The output of each command to standard output and error, in order.
  std::vector<std::vector<std::string>> outputs_of(const std::vector<ShownCommand>& commands,
                                                   const std::filesystem::path& folder);

  test::Variable path_;
};

}  // namespace eventspace::docs
