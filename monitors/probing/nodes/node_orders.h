#pragma once

// Private to monitors/.

#include <chrono>
#include <optional>
#include <string>

#include "monitors/cli/options.h"
#include "monitors/cli/stop_signals.h"
#include "monitors/probing/groups/group_order.h"
#include "monitors/probing/nodes/node_work.h"
#include "monitors/probing/work/probe_work.h"
#include "monitors/probing/work/variable_phases.h"

namespace eventspace {

// What commands do with groups of processes on several machines. Each order is one message down the tree of
// machines and one answer up. How many processes did it, and why the others did not, is said on standard
// error, with a line for each reason.

/// An order for the processes of the choice, with the groups that it needs. Throws ConfigurationError if it
/// has a fault.
GroupOrder order_for(GroupVerb verb, const NodeChoice& nodes, const ProcessChoice& processes);

/// Says what became of an order: "12 of 16 processes on 4 machines stopped". `done` is the verb. Returns the
/// exit status.
int report_answer(const GroupAnswer& answer, const std::string& done);

/// What a variable of probes is in the processes, in a line; empty if none has it. Pure.
std::string line_of(const VariableSpread& variable);

/// Puts the probes of a request in, waits, takes them out, and writes a row for each function, or with
/// `has_histogram` for each range of times of its calls. Requires check_request(). Returns the exit status.
int probe_on_nodes(const ProbeRequest& request, const NodeChoice& nodes, Format format, bool has_histogram);

/// The same as probe_on_nodes(), with a segment for each process, on its machine, in which its calls are
/// recorded: monitors there see it in this session. Empty: that of the name of the first process's program.
/// Requires check_request(). Returns the exit status.
int attach_on_nodes(const ProbeRequest& request, std::string session, const NodeChoice& nodes, Format format);

/// Switches single probes, of any owner, on or off, or removes them. Requires check_request(). Returns the
/// exit status.
int switch_on_nodes(const ProbeRequest& request, const NodeChoice& nodes, ProbeState to);

/// Reads variables, and writes a row for each of each process and phase. Ends at once if nothing can be read,
/// and when no process is left; a machine that has not answered once may have some. Machines that do not
/// answer, and reasons why processes refuse, are said once each when they are new, and are in the exit
/// status, which it returns.
int read_variables_on_nodes(const VariablePhases& phases, const NodeChoice& nodes);

/// Takes all probes out, of any owner. Returns the exit status.
int detach_on_nodes(const ProcessChoice& processes, const NodeChoice& nodes);

}  // namespace eventspace
