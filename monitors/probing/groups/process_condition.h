#pragma once

#include <string_view>

#include "monitors/probing/groups/process_facts.h"
#include "scopes/expressions/walked_condition.h"

namespace eventspace {

/// Compiles a condition over processes in the expression language. Its fields are
///
///     pid       number
///     name      text      of the program
///     host      text      the name of its machine
///     rank      number    in its parallel job; missing if it has none
///     job       text      the id of that job; empty if it has none
///     session   text      the session in which it records; empty if it has none
///     threads   number
///     memory    number    bytes in main memory
///     env_NAME  text      the variable NAME of its environment; missing if it has none
///
/// Throws ExpressionError.
WalkedCondition process_condition(std::string_view condition);
/// Whether the condition can be evaluated only after add_recorded().
bool needs_recorded(const WalkedCondition& condition);

bool holds(const WalkedCondition& condition, const ProcessFacts& process);

}  // namespace eventspace
