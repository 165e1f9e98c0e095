#include "pathmaps/jobs/job_server.h"

#include <fmt/format.h>
#include <unistd.h>

#include <cstdint>
#include <optional>
#include <utility>

#include <eventspace/error.h>
#include "collectors/switching/switch_target.h"
#include "pathmaps/hosting/session_host.h"
#include "pathmaps/jobs/own_machine.h"
#include "pathmaps/plan/session_plan.h"
#include "pathmaps/sessions/own_process.h"
#include "pathmaps/sessions/server_program.h"
#include "pathmaps/sessions/session_scopes.h"
#include "paths/links/network.h"
#include "paths/security/key_file.h"
#include "paths/server/server.h"
#include "scopes/scope_builder.h"
#include "tuplespace/parsing/number_in.h"
#include "tuplespace/sockets/session_socket.h"

namespace eventspace {
namespace {

// Reuses the port of the earlier server of this machine, because monitors have it.
std::uint16_t port_for(const JobDirectory& directory, const std::string& session,
                       const std::string& machine) {
  for (const JobNode& node : directory.read(session).nodes)
    if (node.machine == machine) return find_free_port(node.port);
  return find_free_port();
}

// A number that one of two launchers gave to the rank that started this process.
std::uint32_t count_from(const std::string& open_mpi, const std::string& mpich) {
  return leading_number<std::uint32_t>(open_mpi.empty() ? mpich : open_mpi);
}

JobNode this_node(const std::string& session) {
  JobNode node;
  node.session = session;
  node.node = own_node_name();
  node.machine = own_machine();
  node.pid = ::getpid();
  node.ranks = count_from(environment("OMPI_COMM_WORLD_LOCAL_SIZE"), environment("MPI_LOCALNRANKS"));
  node.ranks_of_job = count_from(environment("OMPI_COMM_WORLD_SIZE"), environment("PMI_SIZE"));
  return node;
}

/// The entry of this machine in the directory, from construction to destruction.
class Entered {
 public:
  Entered(const std::string& session, const JobDirectory& directory)
      : directory_(directory), node_(this_node(session)) {
    node_.port = port_for(directory, session, node_.machine);
    node_.addresses = own_addresses();
    number_ = directory_.enter(node_);
  }
  ~Entered() { directory_.leave(number_, node_.machine); }
  Entered(const Entered&) = delete;
  Entered& operator=(const Entered&) = delete;

  [[nodiscard]] std::uint32_t number() const noexcept { return number_; }
  [[nodiscard]] const JobNode& node() const noexcept { return node_; }

 private:
  JobDirectory directory_;
  JobNode node_;
  std::uint32_t number_{0};
};

Server::Config config_of_server(const Plan& plan, const JobNode& node, SessionScopes& scopes) {
  Server::Config config;
  config.endpoint = fmt::format("tcp://*:{}", node.port);
  config.name = "the server of the job on " + node.node;
  config.session = plan.name;
  config.fingerprint = plan.scopes_fingerprint;
  config.targets.emplace(scope_target, scopes.target_kind());
  config.targets.emplace(steering_scope_target, scopes.target_kind(Steering::allowed));
  config.targets.emplace(switch_target, switch_kind(plan.name, ""));
  config.attendant = &scopes.attendant();
  return config;
}

/// The parts of the server that are made after it has become the only server of its machine.
struct Serving {
  Serving(const std::string& session, const JobDirectory& directory,
          std::function<void(const std::string&)> warn)
      : security(security_of_file(directory.key_file())),
        entered(session, directory),
        plan(plan_of_job_node(session, entered.number())),
        network(network_limits(plan->limits), WhenLost::reconnect, NodeClock(), session, security),
        scopes(plan, std::move(warn)),
        processes(*plan, session),
        server(network, config_of_server(*plan, entered.node(), scopes)),
        endpoint(fmt::format("tcp://{}:{}", entered.node().addresses.front(), entered.node().port)) {}

  std::shared_ptr<const SessionSecurity> security;
  Entered entered;
  std::shared_ptr<const Plan> plan;
  Network network;
  SessionScopes scopes;
  LiveProcesses processes;
  Server server;
  std::string endpoint;
};

// The directory itself may be the fault.
void leave_reason(const std::string& session, const JobDirectory& directory, const char* why) noexcept {
  try {
    JobNode node = this_node(session);
    node.failure = why;
    (void)directory.enter(node);
  } catch (...) {  // monitors then see that ranks are missing
  }
}

}  // namespace

struct JobServer::State {
  State(const std::string& session, const JobDirectory& directory,
        std::function<void(const std::string&)> warn)
      : taken(SessionSocket(session, name_of_job_server(directory.path()))
                  .require(fmt::format("session {}, as a machine of the job in {},", session,
                                       directory.path().string()))) {
    try {
      serving.emplace(session, directory, std::move(warn));
    } catch (const std::exception& error) {
      leave_reason(session, directory, error.what());
      throw;
    }
  }

  SessionSocket::Taken taken;  // before the network, which closes its sockets before the lock is given back
  std::optional<Serving> serving;
};

JobServer::JobServer(const std::string& session, const JobDirectory& directory,
                     std::function<void(const std::string&)> warn)
    : state_(std::make_unique<State>(session, directory, std::move(warn))) {}
JobServer::~JobServer() = default;

void JobServer::start() {
  state_->serving->server.start();
  state_->taken.announce();
}
const std::string& JobServer::endpoint() const noexcept { return state_->serving->endpoint; }
bool JobServer::is_needed() { return state_->serving->processes.any(); }
void JobServer::hide() { (void)state_->taken.hide(); }
bool JobServer::show() { return state_->taken.show(); }

std::string name_of_job_server(const std::filesystem::path& directory) {
  return std::string(job_server_scheme) + own_machine() + directory.string();
}

namespace {

bool is_first_on_this_machine() {
  const std::string rank = environment("OMPI_COMM_WORLD_LOCAL_RANK") + environment("MPI_LOCALRANKID");
  return rank.empty() || rank == "0";
}

}  // namespace

void start_job_server(const std::string& session) {
  const std::string directory = environment(JobDirectory::variable);
  if (directory.empty() || !is_first_on_this_machine()) return;
  if (SessionSocket(session, name_of_job_server(directory)).is_served()) return;
  run_server_program({"serve", "--session", session, "--job", directory, "--background"},
                     fmt::format("other machines of the job do not see the processes on this one"));
}

}  // namespace eventspace
