#pragma once

#include <signal.h>

#include <cstdlib>
#include <string>
#include <vector>

#include "tests/monitors/json_lines.h"
#include "tests/monitors/workplace.h"

namespace eventspace::test {

/// The fixture of tests that watch a job: hang_app with the MPI of MPI_NAME, as session "job", with four
/// ranks by default.
class MpiJob : public testing_commands::Workplace {
 protected:
  MpiJob() {
    ::setenv("OMPI_ALLOW_RUN_AS_ROOT", "1", 1);
    ::setenv("OMPI_ALLOW_RUN_AS_ROOT_CONFIRM", "1", 1);
    // Files that killed ranks leave are removed with the directory of the test.
    ::setenv("OMPI_MCA_btl_vader_backing_directory", file("").c_str(), 1);
    ::setenv("GO_ON", file("go").c_str(), 1);
  }
  ~MpiJob() override {
    for (const char* const variable : {"GO_ON", "WORST_MS", "OMPI_MCA_btl_vader_backing_directory"})
      ::unsetenv(variable);
    for (const int pid : processes_with(program_)) ::kill(pid, SIGKILL);
  }

  /// Starts the program. `options` are options of `run`. When a process is killed, the launcher leaves the
  /// others running if it can.
  testing_commands::Call run(const std::string& mode, const std::string& ranks = "4",
                             const std::vector<std::string>& options = {}) {
    std::vector<std::string> words{"run", "--session", "job"};
    words.insert(words.end(), options.begin(), options.end());
    words.insert(words.end(), {"--", MPIRUN, "-np", ranks});
    if (std::string(MPI_NAME) == "openmpi") {
      for (const char* const word : {"--oversubscribe", "--enable-recovery"}) words.emplace_back(word);
    } else {
      words.emplace_back("-disable-auto-cleanup");
    }
    words.emplace_back(program_);
    words.push_back(mode);
    return start(words);
  }
  /// Ends a healthy program.
  void go_on() { write("go", ""); }
  /// Runs `program` instead of hang_app.
  void set_program(const std::string& program) { program_ = program; }

 private:
  std::string program_{HANG_APP};
};

}  // namespace eventspace::test
