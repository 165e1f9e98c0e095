#include <fmt/format.h>
#include <signal.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <array>
#include <iostream>
#include <thread>

#include <eventspace/error.h>
#include <eventspace/session.h>
#include "monitors/cli/checked_values.h"
#include "monitors/cli/commands.h"
#include "monitors/cli/options.h"
#include "monitors/cli/pathmap_input.h"
#include "monitors/servers/child_process.h"
#include "monitors/servers/find_program.h"
#include "monitors/servers/server_files.h"
#include "monitors/servers/server_fleet.h"
#include "monitors/sharing/observers_port.h"
#include "monitors/watching/watched.h"
#include "pathmaps/jobs/own_machine.h"
#include "pathmaps/plan/session_plan.h"
#include "tuplespace/system/session_files.h"

namespace eventspace {
namespace {

struct ShareOptions {
  std::filesystem::path pathmap;
  std::string session;
  std::string host;
  std::uint16_t port{0};
  std::filesystem::path token;
  bool foreground{false};
  std::chrono::nanoseconds timeout = std::chrono::seconds(10);
};

std::string name_of_machine() {
  std::array<char, 256> name{};
  if (::gethostname(name.data(), name.size() - 1) != 0)
    throw EnvironmentError::from_errno("cannot get the name of this machine; use --host", errno);
  return name.data();
}

ObserversPort port_of(const ShareOptions& options) {
  require_file(options.pathmap, "the process that serves the port also reads it");
  ObserversPort port;
  const Watched watched = find_watched(options.pathmap, options.session);
  port.plan = watched.plan;
  port.session = session_name(*watched.plan, watched.session);
  // Observers have the plan of the session: for a job, the port shows the processes on this machine.
  if (!port.plan->has_pathmap) port.plan = plan_of_session(port.session);
  port.host = options.host.empty() ? name_of_machine() : options.host;
  port.port = options.port != 0 ? options.port : find_free_port();
  port.token = std::filesystem::absolute(
      options.token.empty() ? std::filesystem::path(session_files::escaped(port.session) + ".token")
                            : options.token);
  return port;
}

std::string said_by(const ObserversPort& port) {
  return fmt::format("session {} is open to observers at {}:{}; give them {} to use with --token\n",
                     port.session, port.host, port.port, port.token.string());
}

ChildSpec command_in_background(const ShareOptions& options, const ObserversPort& port,
                                const ServerFiles& files) {
  ChildSpec spec;
  spec.command = {own_program().string(),
                  "share",
                  port.plan->has_pathmap ? std::filesystem::absolute(options.pathmap).string() : port.session,
                  "--foreground",
                  "--session",
                  port.session,
                  "--host",
                  port.host,
                  "--port",
                  std::to_string(port.port),
                  "--output",
                  port.token.string()};
  spec.output = files.log(observers_port_name);
  spec.detached = true;
  return spec;
}

// The process in the background prints its line when it listens and the token is written.
bool has_begun(const ServerFiles& files, const ObserversPort& port) {
  return files.log_tail(observers_port_name).find(fmt::format("observers at {}:", port.host)) !=
         std::string::npos;
}

int share_in_background(const ShareOptions& options, const ObserversPort& port) {
  const ServerFiles files(port.session);
  const FileHandle lock = files.lock(observers_port_name, options.timeout);
  if (files.find(observers_port_name))
    throw EnvironmentError(fmt::format(
        "session {} is already open to observers; `eventspace unshare` closes that port", port.session));
  ChildProcess child = ChildProcess::start(command_in_background(options, port, files));
  files.remember(observers_port_name, child.pid());
  const Deadline until = Deadline::after(options.timeout);
  while (!has_begun(files, port)) {
    const bool ended = child.poll().has_value();
    if (!ended && !until.passed()) {
      std::this_thread::sleep_for(std::chrono::milliseconds(5));
      continue;
    }
    child.signal(SIGKILL);
    files.forget(observers_port_name);
    throw EnvironmentError(
        fmt::format("the port for observers could not be opened: {}", files.log_tail(observers_port_name)));
  }
  std::cout << said_by(port);
  return exit_fine;
}

int share(const ShareOptions& options) {
  const ObserversPort port = port_of(options);
  if (!options.foreground) return share_in_background(options, port);
  serve_observers(port, [&] { std::cout << said_by(port) << std::flush; });
  return exit_fine;
}

int unshare(const ShareOptions& options) {
  const std::string session = find_session(options.pathmap, options.session);
  if (!close_observers_port(session, options.timeout)) {
    std::cout << "session " << session << " was not open to observers\n";
    return exit_fine;
  }
  std::cout << "session " << session << " is closed to observers; their token is no longer valid\n";
  return exit_fine;
}

}  // namespace

Command share_command() {
  const CommandGuide guide{
      .group = CommandGroup::steering,
      .examples = {{"eventspace share app.yaml --host login1 -o for-ann.token",
                    "a token for a colleague, who may only pull"}},
      .statuses = {{exit_unreachable, "the port could not be opened, or the token could not be written"}}};
  return {
      "share", "Open a port for observers of the session, and write a token for them",
      with_options<ShareOptions>(
          [](CLI::App& app, ShareOptions& options) {
            add_watched(app, options.pathmap);
            add_session(app, options.session);
            app.add_option("-o,--output", options.token,
                           "Write the token to this file, with mode 0600 [SESSION.token]")
                ->type_name("FILE");
            app.add_option("--host", options.host, "Name or address of this machine for observers [its name]")
                ->type_name("HOST");
            app.add_option("--port", options.port, "Open this port [a free one]")
                ->type_name("PORT")
                ->check(whole_number_from(1, 65535));
            app.add_flag("--foreground", options.foreground, "Run until Ctrl-C instead of until `unshare`");
            add_timeout(app, options.timeout, "10s");
          },
          share),
      guide};
}

Command unshare_command() {
  const CommandGuide guide{
      .group = CommandGroup::steering,
      .examples = {{"eventspace unshare app.yaml", "closes the port, so that the token is of no use"}},
      .statuses = {{exit_fine, "no port is open, whether or not one was"}}};
  return {"unshare", "Close the port that `share` opened",
          with_options<ShareOptions>(
              [](CLI::App& app, ShareOptions& options) {
                add_watched(app, options.pathmap);
                add_session(app, options.session);
                add_duration(app, "--timeout", options.timeout,
                             "Kill the process if it has not stopped after this time [10s]");
              },
              unshare),
          guide};
}

}  // namespace eventspace
