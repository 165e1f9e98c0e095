#pragma once

#include <signal.h>

#include <filesystem>
#include <string>

#include "tests/monitors/whatif/recording/asked_recording.h"
#include "tests/tuplespace/variable.h"

namespace eventspace::test {

/// The fixture of tests that run patterns (patterns.c, built as PATTERNS) with the launcher MPIRUN of Open
/// MPI, record them as session "job", and run `whatif`. The ranks are on this machine, unless launcher() and
/// outside() are overridden.
class RecordedPattern : public AskedRecording {
 protected:
  ~RecordedPattern() override {
    for (const int left : processes_with(PATTERNS)) ::kill(left, SIGKILL);
  }

  /// The words before the program.
  [[nodiscard]] virtual Words launcher(int ranks) const {
    return {MPIRUN, "--oversubscribe", "-np", std::to_string(ranks)};
  }
  /// The words before `eventspace`.
  [[nodiscard]] virtual Words outside() const { return {}; }

  /// Runs `pattern` with that many ranks and records it to `recording`. Returns how many seconds it took;
  /// less than 0 on failure.
  double record(int ranks, const Words& pattern, const std::filesystem::path& recording) {
    const Variable go_on("GO_ON", go_file(recording).string());
    Call program = run({"--session", "job"}, ranks, pattern);
    // The recorder has all kept events once it has the state of the last rank.
    const std::string last =
        std::filesystem::path(PATTERNS).filename().string() + "." + std::to_string(ranks - 1);
    return AskedRecording::record(program, recording, [&last](const std::string& info) {
      return info.find(last) != std::string::npos;
    });
  }
  /// Runs it without EventSpace. Returns how many seconds it took.
  double measure(int ranks, const Words& pattern) {
    Call program = run({"--mpi", "none"}, ranks, pattern);
    EXPECT_EQ(program.status(), 0) << program.err();
    return seconds_in(program.out());
  }

 private:
  Call run(const Words& options, int ranks, const Words& pattern) {
    Words words{"run"};
    const auto add = [&words](const Words& more) { words.insert(words.end(), more.begin(), more.end()); };
    add(options);
    words.emplace_back("--");
    add(launcher(ranks));
    words.emplace_back(PATTERNS);
    add(pattern);
    return start(words, outside());
  }

  Variable as_root_{"OMPI_ALLOW_RUN_AS_ROOT", "1"};
  Variable as_root_indeed_{"OMPI_ALLOW_RUN_AS_ROOT_CONFIRM", "1"};
  Variable yields_{"OMPI_MCA_mpi_yield_when_idle", "1"};
  // Files of killed ranks are removed with the directory of the test.
  Variable memory_{"OMPI_MCA_btl_vader_backing_directory", file("").string()};
  Variable keeps_all_{"EVENTSPACE_MPI_CALLS", "20000"};
};

}  // namespace eventspace::test
