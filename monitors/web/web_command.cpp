#include <fmt/format.h>
#include <poll.h>
#include <sys/prctl.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <array>
#include <iostream>
#include <memory>
#include <string>
#include <vector>

#include <eventspace/error.h>
#include "monitors/budget/budget_keeper.h"
#include "monitors/cli/checked_values.h"
#include "monitors/cli/command.h"
#include "monitors/cli/options.h"
#include "monitors/cli/priority_option.h"
#include "monitors/cli/stop_signals.h"
#include "monitors/heartbeat/heartbeat_pace.h"
#ifdef EVENTSPACE_HAS_WEB
#include "monitors/running/page_channel.h"
#include "monitors/servers/segment_list.h"
#include "monitors/web/documents/offered_sessions.h"
#include "monitors/web/documents/page_site.h"
#include "monitors/web/http/server.h"
#include "pathmaps/plan/session_plan.h"
#endif

namespace eventspace {
namespace {

struct WebOptions {
  std::filesystem::path named;
  std::string session;
  HeartbeatPace::Wishes pace;
  std::string address{"127.0.0.1"};
  std::uint16_t port{0};
  std::vector<std::string> hosts;
  std::filesystem::path socket;
  std::string version;
  bool has_stacks{false};
  std::string progress{"progress"};
  std::vector<std::filesystem::path> metric_files{};
  std::vector<std::string> alerts{};
  Budget budget{};
  std::string beside_run{};  ///< "recorded" or "alone": the page of `run --web` (RunPage)
};

#ifdef EVENTSPACE_HAS_WEB

bool is_loopback(const std::string& address) { return address == "::1" || address.starts_with("127."); }
bool is_wildcard(const std::string& address) { return address == "0.0.0.0" || address == "::"; }

std::string name_of_this_machine() {
  std::array<char, 256> name{};
  return ::gethostname(name.data(), name.size() - 1) == 0 ? std::string(name.data())
                                                          : std::string("localhost");
}

// A browser asks for the server by a name that leads to its address.
web::ServerSettings settings_of(const WebOptions& options) {
  web::ServerSettings settings{
      .address = options.address, .port = options.port, .socket = options.socket, .hosts = options.hosts};
  settings.hosts.push_back(is_wildcard(options.address) ? name_of_this_machine() : options.address);
  return settings;
}

std::string host_in_address(const WebOptions& options) {
  if (!options.socket.empty()) return "localhost:PORT";
  if (!options.hosts.empty()) return options.hosts.front();
  if (is_wildcard(options.address)) return name_of_this_machine();
  return options.address.find(':') == std::string::npos ? options.address : "[" + options.address + "]";
}

void print_addresses(std::ostream& out, const WebOptions& options, const web::Server& server) {
  const std::string host = host_in_address(options);
  const std::string port = options.socket.empty() ? fmt::format(":{}", server.port()) : "";
  for (const web::Role role : {web::Role::owner, web::Role::observer})
    out << fmt::format("{:<9} http://{}{}{}\n", to_string(role), host, port, server.opening(role));
  out << std::flush;
  if (!options.socket.empty()) {
    std::cerr << fmt::format("web: from another machine: ssh -L PORT:{} {}\n",
                             std::filesystem::absolute(options.socket).string(), name_of_this_machine());
  } else if (!is_loopback(options.address)) {
    std::cerr << "web: the connection is not encrypted: others on the network can read the key and all that "
                 "the page "
                 "shows; prefer a tunnel of ssh (docs/web.md)\n";
  }
}

/// How all sessions are watched.
web::WatchedSource common_source(const WebOptions& options) {
  return {.named = options.named,
          .session = options.session,
          .pace = options.pace,
          .metrics = web::metric_choice(options.metric_files, options.alerts),
          .has_stacks = options.has_stacks,
          .progress = options.progress};
}

web::OfferedSession session_of(web::WatchedSource source) {
  source.found = find_watched(source.named, source.session, Recordings::accepted);
  const std::string_view kind = web::kind_of(*source.found);
  return {source.named.filename().string(), kind, "", std::move(source)};
}

// The session may not exist yet.
web::OfferedSession session_beside(web::WatchedSource source) {
  source.begins_soon = true;
  const bool has_pathmap = looks_like_pathmap(source.named.string());
  return {source.named.filename().string(), has_pathmap ? "pathmap" : "session", "", std::move(source)};
}

// Until `run` closes its end of the channel.
void serve_run(const WebOptions& options, web::PageSite& site, StopSignals& signals) {
  constexpr int channel = STDIN_FILENO;
  constexpr std::chrono::seconds between_removals{1};
  constexpr std::chrono::seconds surely_read{10};
  // The page removes the segments that processes have left for it, unless the recorder of the run does.
  const bool removes = options.beside_run == "alone";
  const std::string session = removes ? find_session(options.named, options.session) : "";
  std::array<pollfd, 2> ready{{{channel, POLLIN, 0}, {signals.descriptor(), POLLIN, 0}}};
  bool has_ended = false;
  send_message(channel, PageMessage::listens);
  while (!signals.stopped()) {
    ::poll(ready.data(), ready.size(), static_cast<int>(std::chrono::milliseconds(between_removals).count()));
    if (removes && !has_ended) remove_ended(session, surely_read);
    if (ready[0].revents == 0) continue;
    if (receive_message(channel, {}) != PageMessage::ended) return;
    site.finish(std::chrono::seconds(5));
    has_ended = true;
    send_message(channel, PageMessage::stands);
  }
}

int run_beside(const WebOptions& options) {
  ::prctl(PR_SET_PDEATHSIG, SIGTERM);
  StopSignals signals;  // before all threads
  std::unique_ptr<web::Server> server;
  web::PageSite site(options.version, web::SessionWatch::When::always, [&server] { server->wake(); });
  server = std::make_unique<web::Server>(settings_of(options), site);
  site.offer({session_beside(common_source(options))});
  site.watch_all();
  const web::Serving serving(*server);
  print_addresses(std::cerr, options, *server);
  serve_run(options, site, signals);
  return exit_fine;
}

int run(const WebOptions& options) {
  if (!options.beside_run.empty()) return run_beside(options);
  StopSignals signals;  // before all threads
  const bool has_all = options.named.empty();
  if (has_all && options.budget)
    throw ConfigurationError("--budget is for one session: eventspace web SESSION --budget 1%");
  const web::WatchedSource common = common_source(options);
  const auto offered = [&] {
    return has_all ? web::sessions_here(common) : std::vector<web::OfferedSession>{session_of(common)};
  };
  std::unique_ptr<web::Server> server;  // destroyed last, as watches wake it
  web::PageSite site(options.version,
                     has_all ? web::SessionWatch::When::with_pages : web::SessionWatch::When::always,
                     [&server] { server->wake(); });
  server = std::make_unique<web::Server>(settings_of(options), site);
  site.offer(offered());
  if (!has_all) site.watch_all();
  const web::Serving serving(*server);
  print_addresses(std::cout, options, *server);
  // The interval of a page is set on the page.
  BudgetKeeper budget(
      options.budget,
      has_all ? Watched() : find_watched(options.named, options.session, Recordings::accepted),
      {.may_stretch = false});
  constexpr std::chrono::seconds between_lists{1};
  while (!signals.wait_for(between_lists))
    if (has_all && site.take_interest()) site.offer(offered());
  return budget.status(exit_fine);
}

#else

int run(const WebOptions& /*options*/) {
  throw EnvironmentError(
      "this build has no page: it was made without Boost, d3 or zlib (Debian: libboost-dev node-d3 "
      "zlib1g-dev)");
}

#endif

void add_options(CLI::App& app, WebOptions& options) {
  app.add_option("PATHMAP", options.named,
                 "Pathmap (YAML), name of a session without one, or recording [all sessions of this user]")
      ->group(common_options);
  add_session(app, options.session);
  add_duration(app, "--stall", options.pace.stall,
               "Report a thread as stalled after this time without events [2s]");
  add_interval(app, options.pace.interval, "half of --stall, at most 1s");
  add_pull_timeout(app, options.pace.timeout);
  add_budget(app, options.budget);
  app.add_option("--port", options.port, "Listen at this port [a free one]")
      ->type_name("N")
      ->check(whole_number_from(0, 65535));
  CLI::Option* const bind = app.add_option(
      "--bind", options.address, "Listen at this address of the machine, for other machines [127.0.0.1]");
  bind->type_name("ADDRESS");
  app.add_option("--host", options.hosts, "Answer to this name, too")->type_name("NAME");
  app.add_option("--socket", options.socket,
                 "Listen at this local socket instead of a port, for a tunnel of ssh")
      ->type_name("FILE")
      ->excludes(bind);
  app.add_flag("--stack", options.has_stacks,
               "Read the call stacks of threads that others wait for, once for each stall");
  app.add_option("--progress", options.progress,
                 "Paths that each step of the application uses once, for the slowdown by a trial [progress]")
      ->type_name("GLOB");
  app.add_option("--beside-run", options.beside_run)->check(CLI::IsMember({"recorded", "alone"}))->group("");
  app.add_option("--metrics", options.metric_files, "Metrics of this file, too (docs/metrics.md)")
      ->type_name("FILE");
  app.add_option(
         "--alert", options.alerts,
         "Note on the page when this holds: METRIC > NUMBER, with a unit, and `for TIME` if it must last")
      ->type_name("CONDITION");
  add_priority(app);
}

}  // namespace

Command web_command(const CommandContext& context) {
  const CommandGuide guide{
      .group = CommandGroup::watching,
      .examples = {{"eventspace web", "all sessions of this user, to choose from"},
                   {"eventspace web app.yaml --port 8080", "one session; then open the printed address"},
                   {"eventspace web run.evs", "a recording, with playback"},
                   {"eventspace web app.yaml --socket /tmp/page", "for `ssh -L 8080:/tmp/page HOST`"}},
      .statuses = {{exit_unreachable, "the session, or the port, is not available"}}};
  return {"web", "Show sessions on a page in a browser",
          [version = context.build.version](CLI::App& app) {
            const auto options = std::make_shared<WebOptions>();
            options->version = version;
            add_options(app, *options);
            return [options] { return run(*options); };
          },
          guide};
}

}  // namespace eventspace
