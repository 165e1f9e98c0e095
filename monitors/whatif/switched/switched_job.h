#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "monitors/whatif/simulation/outcome.h"
#include "monitors/whatif/simulation/task_runs.h"

namespace eventspace::whatif {

/// Input and output of the program eventspace-simgrid, as files of a directory. It is a separate process, so
/// that `eventspace` is not linked with SimGrid, and because SimGrid allows one simulation per process.
///
///     program.actions   the program (docs/whatif.md)
///     platform.xml      unless SwitchedJob::platform names another file
///     job.json          SwitchedJob
///     outcome.json      SwitchedAnswer
struct SwitchedJob {
  std::string platform{};              ///< file; empty means platform.xml
  std::vector<std::string> options{};  ///< of SimGrid
  std::vector<std::string> hosts{};    ///< by station; empty means all, in the order of the numbers in their
                                       ///< names
  std::vector<std::uint32_t> stations{};  ///< by task; empty means one each
  std::uint64_t rendezvous{65536};
  double compute{1};
  double overhead{1};
  bool traces{false};
  bool times{false};
};

struct SwitchedAnswer {
  std::string simulator{};                   ///< "SimGrid 3.32"
  std::string refusal{};                     ///< why there is no outcome; empty if there is one
  std::vector<TaskRuns::Waiting> waiting{};  ///< tasks that have not ended
  Outcome outcome{};
};

// Each function throws EnvironmentError if the file cannot be read or written, or comes from another version
// of EventSpace.
void write_job(const std::filesystem::path& directory, const SwitchedJob& job);
SwitchedJob read_job(const std::filesystem::path& directory);
void write_answer(const std::filesystem::path& directory, const SwitchedAnswer& answer);
/// `functions`: number of functions of the program, which is the size of each task's table.
SwitchedAnswer read_answer(const std::filesystem::path& directory, std::size_t functions);

}  // namespace eventspace::whatif
