#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "monitors/whatif/actions/program.h"

namespace eventspace::whatif {

/// A contradiction between the tasks of a program.
struct Inconsistency {
  /// False for messages that are sent but not received: programs may do that.
  bool is_fault{true};
  std::string text;  ///< with the place of the first action concerned
};

/// Compares sends with receives and collective operations with each other, without simulating: each receive
/// needs a send of the same task, tag and group; each member of a group needs the same operations in the same
/// order. A program that was cut cannot be consistent, so nothing is returned for it. Returns at most `most`,
/// faults first. Time and memory are proportional to the actions.
std::vector<Inconsistency> inconsistencies(const Program& program, std::size_t most = 20);

/// Throws FaultyInput with the faults among inconsistencies(); returns the texts of the others.
std::vector<std::string> require_consistent(const Program& program);

}  // namespace eventspace::whatif
