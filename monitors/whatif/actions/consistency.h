#pragma once

// Private to monitors/.

#include <cstdint>
#include <string>
#include <vector>

#include "monitors/whatif/actions/program.h"

namespace eventspace::whatif {

/// What does not fit together between the tasks of a program.
struct Inconsistency {
  /// False: messages that are sent and not received, which the program may well have done.
  bool is_fault{true};
  std::string text;  ///< with the place of the first action that it is about
};

/// Compares sends with receives and collective operations with each other, without simulating: each receive
/// needs a send of the same task, tag and group; each member of a group needs the same operations in the same
/// order. Those of a program that was cut cannot all fit, so nothing is returned then. At most `most`, the
/// faults first. Time and memory are in proportion to the actions.
std::vector<Inconsistency> inconsistencies(const Program& program, std::size_t most = 20);

/// Throws FaultyInput with the faults among inconsistencies(); returns the texts of the others.
std::vector<std::string> require_consistent(const Program& program);

}  // namespace eventspace::whatif
