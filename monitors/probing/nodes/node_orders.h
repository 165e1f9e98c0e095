#pragma once

#include <string>

#include "monitors/cli/options.h"
#include "monitors/cli/stop_signals.h"
#include "monitors/probing/groups/group_order.h"
#include "monitors/probing/nodes/node_work.h"
#include "monitors/probing/work/probe_work.h"
#include "monitors/probing/work/variable_phases.h"

namespace eventspace {

// The work of commands with groups of processes on several machines. Each order is one message down the tree
// of machines and one answer up. The number of processes that did it, and the reasons of the others, are
// reported on standard error, with a line for each reason.

/// An order for the processes of the choice, with the groups that it needs. Throws ConfigurationError if the
/// order is invalid.
GroupOrder order_for(GroupCommand command, const NodeChoice& nodes, const ProcessChoice& processes);

/// Reports the result of an order: "12 of 16 processes on 4 machines stopped". `done` is the verb. Returns
/// the exit status.
int report_answer(const GroupAnswer& answer, const std::string& done);

/// The values of a variable of probes in the processes, in a line; empty if there are none. Pure.
std::string line_of(const VariableSpread& variable);

/// Puts the probes of a request in, waits, takes them out, and writes a row for each function, or with
/// `has_histogram` for each range of call durations. Requires check_request(). Returns the exit status.
int probe_on_nodes(const ProbeRequest& request, const NodeChoice& nodes, Format format, bool has_histogram);

/// Like probe_on_nodes(), with a segment for each process, on its machine, in which its calls are recorded:
/// monitors there see it in this session. An empty `session` means the name of the first process's program.
/// Requires check_request(). Returns the exit status.
int attach_on_nodes(const ProbeRequest& request, std::string session, const NodeChoice& nodes, Format format);

/// Switches single probes, of any owner, on or off, or removes them. Requires check_request(). Returns the
/// exit status.
int switch_on_nodes(const ProbeRequest& request, const NodeChoice& nodes, ProbeState to);

/// Reads variables in each phase, and writes a row for each variable of each process. Ends at once if no
/// variable can be read, and when no process is left (a machine that did not answer once may still have
/// some). Reports silent machines and reasons of refusals once each, when they are new. Returns the exit
/// status, which reflects them.
int read_variables_on_nodes(const VariablePhases& phases, const NodeChoice& nodes);

/// Takes all probes out, of any owner. Returns the exit status.
int detach_on_nodes(const ProcessChoice& processes, const NodeChoice& nodes);

}  // namespace eventspace
