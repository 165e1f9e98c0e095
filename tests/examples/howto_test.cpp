#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <stdexcept>
#include <string>

#include "tests/docs/page.h"
#include "tests/docs/shown_commands.h"

// Does what the how-tos of docs/extending.md say: applies their differences, builds the program, and runs the
// commands that the page shows.

namespace eventspace::docs {
namespace {

namespace fs = std::filesystem;

/// The commands below the difference `name` on the page, up to the next difference.
std::vector<ShownCommand> commands_below(const std::string& name) {
  std::vector<ShownCommand> commands;
  bool is_below = false;
  for (const Block& block : blocks_of(fs::path(EVENTSPACE_SOURCE) / "docs" / "extending.md")) {
    if (block.language == "diff") is_below = block.note == "examples/extending/" + name;
    if (block.language != "console" || !is_below) continue;
    for (ShownCommand& command : commands_of(block)) commands.push_back(std::move(command));
  }
  return commands;
}

class HowTo : public ShownCommands {
 protected:
  HowTo() {
    fs::create_directory(file("bin"));
    find_programs_in(file("bin"));
  }

  /// Builds with the difference into a folder of its own.
  static fs::path patched(const std::string& name, const std::string& mpi = "") {
    const fs::path folder = fs::path(PATCHED) / fs::path(name).stem();
    fs::create_directories(PATCHED);
    const std::string command = std::string(PATCHED_PROGRAM) +
                                " " EVENTSPACE_SOURCE " " EVENTSPACE_BUILD " " EVENTSPACE_SOURCE
                                "/examples/extending/" +
                                name + " " + folder.string() + " " + mpi;
    if (std::system(command.c_str()) != 0) throw std::runtime_error("cannot build with " + name);  // NOLINT
    return folder;
  }

  /// Makes `program` a command of this name.
  void provide(const fs::path& program, const std::string& name) const {
    fs::create_symlink(program, file("bin") / name);
  }

  /// Runs the commands of the page with the program in `folder`.
  void expect_shown(const std::string& name, const fs::path& folder) {
    provide(folder / "bin" / "eventspace", "eventspace");
    const auto commands = commands_below(name);
    ASSERT_GE(commands.size(), 2u);
    fs::create_directory(file("here"));
    expect_outputs(commands, file("here"));
  }
};

TEST_F(HowTo, AnExporter) {
  provide(STEPS_PROGRAM, "steps");
  expect_shown("exporter.diff", patched("exporter.diff"));
}

TEST_F(HowTo, AMetric) {
  provide(STEPS_PROGRAM, "steps");
  expect_shown("metric.diff", patched("metric.diff"));
}

TEST_F(HowTo, AnEventKind) {
  provide(TRANSFERS_PROGRAM, "transfers");
  expect_shown("event_kind.diff", patched("event_kind.diff"));
}

#ifdef MPI_NAME
TEST_F(HowTo, AFunctionOfMpi) {
  const fs::path folder = patched("mpi_function.diff", MPI_NAME);
  const std::string compile =
      MPICC " -o " + file("bin/buffered").string() + " " EVENTSPACE_SOURCE "/examples/extending/buffered.c";
  ASSERT_EQ(std::system(compile.c_str()), 0);  // NOLINT
  EXPECT_EQ(content_of(folder / "uncovered").find("MPI_Buffer_detach"), std::string::npos);
  const fs::path launcher = write("bin/mpiexec", "#!/bin/sh\nexec " MPIRUN " \"$@\"\n");
  fs::permissions(launcher, fs::perms::owner_exec, fs::perm_options::add);
  const test::Variable as_root("OMPI_ALLOW_RUN_AS_ROOT", "1");
  const test::Variable confirmed("OMPI_ALLOW_RUN_AS_ROOT_CONFIRM", "1");
  const test::Variable on_few_cores("OMPI_MCA_rmaps_base_oversubscribe", "1");
  expect_shown("mpi_function.diff", folder);
}
#endif

}  // namespace
}  // namespace eventspace::docs
