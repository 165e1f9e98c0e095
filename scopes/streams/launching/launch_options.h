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

  /// Starts a command on another host: its words precede those of the command, with "{host}" replaced by the
  /// host's name. It must forward standard input and output, and end with the command. For a batch system for
  /// example {"srun", "--overlap", "-N1", "-n1", "-w", "{host}"}.
  Command launcher{"ssh", "-o", "BatchMode=yes", "{host}"};
  /// Launchers for certain hosts, instead of `launcher`. An empty command means that the host is this
  /// machine.
  std::map<std::string, Command, std::less<>> launchers{};
  /// An internal process: a program that calls serve_start_sheet(), such as a tool with filters of its own.
  Command internal{"eventspace", "serve", "--streams-on-input"};
  /// A back-end, which finds its attach point in its environment (AttachPoint::variable). Empty: back-ends
  /// are not launched, and attach at any time.
  Command back_end{};
  /// How long a back-end may take to end after the network, before the process that started it kills it.
  /// Internal processes get this time once more for each level below them.
  std::chrono::nanoseconds patience = std::chrono::seconds(5);
  /// Whether processes listen at ports of all interfaces, with keys, even if all are on this machine.
  /// Otherwise local sockets are used if all are on this machine.
  bool over_network{false};
  /// Back-ends may attach to a session: its processes on the machines of the internal processes find the
  /// network by the session's name (Session::back_end). Empty: attaching needs an attach point.
  std::string session{};
  /// Which process adopts processes whose parent is lost.
  Adoption adoption{Adoption::ancestor};
};

}  // namespace eventspace::streams
