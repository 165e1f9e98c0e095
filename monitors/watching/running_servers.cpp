#include "monitors/watching/running_servers.h"

#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <set>
#include <system_error>

#include <eventspace/error.h>
#include "pathmaps/jobs/job_server.h"
#include "pathmaps/plan/session_plan.h"
#include "tuplespace/processes/process_sight.h"
#include "tuplespace/processes/process_stat.h"
#include "tuplespace/sockets/served_sockets.h"
#include "tuplespace/sockets/session_socket.h"

namespace eventspace {
namespace {

std::vector<std::string> command_line_of(std::int32_t pid) {
  std::ifstream in("/proc/" + std::to_string(pid) + "/cmdline");
  std::vector<std::string> words;
  for (std::string word; std::getline(in, word, '\0');) words.push_back(word);
  return words;
}

std::chrono::nanoseconds age_of(std::int32_t pid) {
  const auto stat = read_process_stat(pid);
  double uptime = 0;
  std::ifstream("/proc/uptime") >> uptime;
  if (!stat || !stat->is_known()) return {};
  const double age =
      uptime - static_cast<double>(stat->start_ticks) / static_cast<double>(::sysconf(_SC_CLK_TCK));
  return std::chrono::duration_cast<std::chrono::nanoseconds>(
      std::chrono::duration<double>(std::max(age, 0.0)));
}

std::string absolute_for(std::int32_t pid, const std::string& file) {
  std::error_code error;
  const auto directory = std::filesystem::read_symlink("/proc/" + std::to_string(pid) + "/cwd", error);
  return error ? file : (directory / file).string();
}

// "eventspace serve PATHMAP --node NODE ...": this is also the title of a server that `up` forked. All its
// options have a value.
void read_command_line(RunningServer& server) {
  const auto words = command_line_of(server.pid);
  auto word = std::ranges::find(words, "serve");
  if (word == words.end()) return;
  for (++word; word != words.end(); ++word) {
    if (!word->starts_with("--")) {
      server.pathmap = absolute_for(server.pid, *word);
    } else if (word + 1 != words.end()) {
      const bool is_node = *word == "--node";
      ++word;
      if (is_node) server.node = *word;
    }
  }
}

std::filesystem::path absolute(std::string_view file) {
  std::error_code error;  // if the file is gone, it is not the file of this name
  return std::filesystem::weakly_canonical(std::filesystem::absolute(file, error), error);
}

// `endpoint` as ServedSocket::server.
void describe(RunningServer& server, const std::string& endpoint) {
  constexpr std::string_view node = "local://node/";
  if (endpoint.empty()) {
    server.of = RunningServer::Of::session;
    return;
  }
  if (endpoint.starts_with(job_server_scheme)) {
    server.of = RunningServer::Of::node;
    server.node = own_node_name();
    return;
  }
  if (endpoint.starts_with(node)) server.node = endpoint.substr(node.size());
  if (server.is_seen) read_command_line(server);
  server.of = server.node.empty() ? RunningServer::Of::process : RunningServer::Of::node;
}

}  // namespace

std::vector<RunningServer> running_servers() {
  std::vector<RunningServer> servers;
  for (const ServedSocket& served : find_served_sockets()) {
    RunningServer server;
    server.session = served.session;
    const ProcessSight process(served.process);
    server.pid = process.pid();
    server.is_seen = process.is_found();
    server.age = server.is_seen ? age_of(server.pid) : served.age;
    describe(server, served.server);
    servers.push_back(std::move(server));
  }
  return servers;
}

std::vector<std::string> other_sessions_of(std::string_view file, std::string_view session) {
  std::set<std::string> others;
  try {
    for (const RunningServer& server : running_servers()) {
      const bool is_of_file = !server.pathmap.empty() && absolute(server.pathmap) == absolute(file);
      if (is_of_file && server.session != session) others.insert(server.session);
    }
  } catch (const Error&) {  // this only improves messages
  }
  return {others.begin(), others.end()};
}

std::vector<ServerHere> servers_here(const std::string& session, const std::set<std::string>& endpoints) {
  std::vector<ServerHere> servers;
  for (const std::string& endpoint : endpoints) {
    const SessionSocket socket(session, endpoint);
    if (!socket.is_taken()) continue;
    const auto holder = socket.holder();
    const ProcessSight process(holder.value_or(ProcessIdentity()));
    const bool is_stopped = holder && process.look([] { return FileLock::held; }) == Presence::stopped;
    servers.push_back({endpoint, process.pid(), is_stopped});
  }
  return servers;
}

std::vector<ServerHere> stopped_among(const std::vector<ServerHere>& servers) {
  std::vector<ServerHere> stopped;
  std::ranges::copy_if(servers, std::back_inserter(stopped), &ServerHere::is_stopped);
  return stopped;
}

std::optional<std::chrono::nanoseconds> further_patience(const std::vector<ServerHere>& servers,
                                                         std::chrono::nanoseconds waited) {
  constexpr std::chrono::seconds at_a_busy_server{15};
  if (waited >= at_a_busy_server || std::ranges::all_of(servers, &ServerHere::is_stopped))
    return std::nullopt;
  return waited;
}

}  // namespace eventspace
