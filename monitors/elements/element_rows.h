#pragma once

#include <chrono>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "monitors/cli/options.h"
#include "pathmaps/elements/element_asker.h"
#include "pathmaps/plan/plan.h"
#include "paths/views/view.h"
#include "scopes/tree/plan_names.h"

namespace eventspace {

/// One element as `eventspace elements` shows it.
struct ElementRow {
  std::string name;
  std::string host;                      ///< "process p0", "node n1", "session solver"
  std::string users;                     ///< "write: w0..w1; read: r0"
  std::optional<ElementState> state{};   ///< nullopt if unknown; see `detail`
  std::optional<double> written_rate{};  ///< per second, since the previous answers
  std::optional<double> taken_rate{};
  std::string detail{};  ///< why the state is not known
};

/// The users of each element by its name, as the pathmap declares them.
std::map<std::string, std::string> users_in(const Plan& plan);
/// The same for a session without a pathmap, as far as `newest`, a view of the newest events, shows them.
std::map<std::string, std::string> users_in(const View& newest, const PlanNames& names);

/// Makes the rows from the answers of all hosts, in the order of the plan, or of the answers in a session
/// without a pathmap. Rates compare with `before`, the answers `elapsed` ago; none if that is empty. Pure.
std::vector<ElementRow> element_rows(const Plan& plan, const std::map<std::string, std::string>& users,
                                     const std::vector<ElementAnswer>& answers,
                                     const std::vector<ElementAnswer>& before,
                                     std::chrono::nanoseconds elapsed);

/// Prints rows; docs/commands.md names the fields. The text leaves some out.
void print_rows(std::ostream& out, Format format, const std::vector<ElementRow>& rows);

}  // namespace eventspace
