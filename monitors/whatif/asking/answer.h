#pragma once

// Private to monitors/whatif/.

#include <iosfwd>
#include <optional>
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
  std::string simulator{"EventSpace"};  ///< what simulated it, with its version if it is not this program
};

/// Which tables are printed.
enum class AnswerTable : std::uint8_t {
  all,  ///< the next two
  summary,
  tasks,
  functions,  ///< of the message library
  path,       ///< the critical path: needs a trace, as the next two do
  flows,      ///< what each task sent to each other one
  course      ///< messages over time
};
inline bool needs_trace(AnswerTable table) { return table >= AnswerTable::path; }

/// Prints what was simulated: a line for each answer, with the baseline's error against the recorded run; and
/// for each answer what became of each task, as the tables of Zabel's appendix A, with the means over the
/// tasks that work: those that compute at least a tenth of what the one does that computes most. As text,
/// JSON (docs/json.md) or CSV, which has one table: that of the tasks, unless another one is asked for.
/// REQUIRES: the answers have traces, if the table needs them.
void print_answers(std::ostream& out, Format format, AnswerTable table, const Program& program,
                   const std::vector<Answer>& answers);

/// The error of the baseline against the recorded run from which on no answer is to be believed, in percent.
inline constexpr double most_error_percent = 10;
/// A sentence that says that the baseline is further off than that; empty if it is not, or there is none.
std::string warning_of(const Program& program, const std::vector<Answer>& answers);

/// What of the program happened as recorded, and may go on differently on another network; empty if nothing.
std::string limits_of(const Outcome& outcome);

}  // namespace eventspace::whatif
