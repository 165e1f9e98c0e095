#pragma once

#include <iosfwd>
#include <string>
#include <vector>

#include "monitors/cli/options.h"
#include "monitors/whatif/actions/program.h"
#include "monitors/whatif/networks/network.h"
#include "monitors/whatif/simulation/outcome.h"

namespace eventspace::whatif {

/// One simulation of the program.
struct Answer {
  Network network;
  double compute{1};
  double overhead{1};
  bool is_baseline{false};
  Outcome outcome;
  std::string simulator{"EventSpace"};  ///< the simulator, with its version if it is not this program
};

/// Which tables are printed.
enum class AnswerTable : std::uint8_t {
  all,  ///< the next two
  summary,
  tasks,
  functions,  ///< of the message library
  path,       ///< the critical path; needs a trace, like the next two
  flows,      ///< bytes and messages from each task to each other task
  course      ///< messages over time
};
inline bool needs_trace(AnswerTable table) { return table >= AnswerTable::path; }

/// Prints the answers: a line for each, with the baseline's error against the recorded run, and a table of
/// the tasks of each answer as in Zabel's appendix A. Means are over the working tasks (working_tasks.h).
/// Prints text, JSON (docs/json.md) or CSV, which has one table: by default the table of tasks. REQUIRES: the
/// answers have traces, if the table needs them.
void print_answers(std::ostream& out, Format format, AnswerTable table, const Program& program,
                   const std::vector<Answer>& answers);

/// Error of the baseline against the recorded run, in percent, above which no answer is trustworthy.
inline constexpr double max_error_percent = 10;
/// A warning that the baseline's error is larger than that; empty if it is not, or without a baseline.
std::string warning_of(const Program& program, const std::vector<Answer>& answers);

/// Describes actions that depended on the recorded times and may differ on another network; empty if there
/// are none.
std::string limits_of(const Outcome& outcome);

}  // namespace eventspace::whatif
