#pragma once

#include <chrono>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "scopes/streams/stream_options.h"

namespace eventspace::streams {

/// How the processes of a network are started.
struct LaunchOptions {
  using Command = std::vector<std::string>;

  /// Starts a command on another host: its words come before those of the command, "{host}" in them is the
  /// host's name. It must pass on standard input and output, and end with the command. For a batch system for
  /// example {"srun", "--overlap", "-N1", "-n1", "-w", "{host}"}.
  Command launcher{"ssh", "-o", "BatchMode=yes", "{host}"};
  /// Launchers of certain hosts, in place of `launcher`. An empty command: the host is this machine.
  std::map<std::string, Command, std::less<>> launchers{};
  /// An internal process: a program that calls serve_start_sheet(), such as a tool with filters of its own.
  Command internal{"eventspace", "serve", "--streams-on-input"};
  /// A back-end, which finds its attach point in its environment (AttachPoint::variable). Empty: back-ends
  /// are not launched, and attach when they want.
  Command back_end{};
  /// How long a back-end may take to end after the network, before the process that started it kills it.
  /// Internal processes get as much more for each level below them.
  std::chrono::nanoseconds patience = std::chrono::seconds(5);
  /// Whether processes listen at ports of all interfaces, with keys, also if all are on this machine. Else
  /// those that are all on this machine use local sockets.
  bool over_network{false};
  /// Back-ends may attach to a session: its processes on the machines of the internal processes find the
  /// network by the session's name (Session::back_end). Empty: only those that are given an attach point.
  std::string session{};
  /// Which process takes those whose parent is lost.
  Adoption adoption{Adoption::ancestor};
};

}  // namespace eventspace::streams
