#include "tests/monitors/workplace.h"

#include <arpa/inet.h>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <signal.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cstdlib>
#include <fstream>
#include <stdexcept>
#include <thread>

#include "tests/paths/links/free_port.h"

namespace eventspace::testing_commands {
namespace {

namespace fs = std::filesystem;
using std::chrono::steady_clock;

struct Bound {
  int socket;
  int port;
};

Bound bind_loopback() {
  const int socket = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t length = sizeof address;
  EXPECT_EQ(::bind(socket, reinterpret_cast<sockaddr*>(&address), length), 0);
  EXPECT_EQ(::getsockname(socket, reinterpret_cast<sockaddr*>(&address), &length), 0);
  return {socket, ntohs(address.sin_port)};
}

// A constructor cannot use the macro itself, as it returns a value.
void skip(const std::string& reason) { GTEST_SKIP() << reason; }

std::unique_ptr<Ground> ground_or_skip(const fs::path& directory) {
  try {
    return make_ground(directory);
  } catch (const NoGround& reason) {
    skip(reason.what());
    return std::make_unique<Ground>();
  }
}

}  // namespace

bool eventually(const std::function<bool()>& condition, std::chrono::nanoseconds limit) {
  for (const auto until = steady_clock::now() + limit; steady_clock::now() < until;) {
    if (condition()) return true;
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  }
  return condition();
}

std::string read_text(const fs::path& file) {
  std::ifstream in(file, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

int free_port() { return test::free_port(); }

TakenPort::TakenPort() {
  const Bound bound = bind_loopback();
  socket_ = bound.socket;
  number_ = bound.port;
  EXPECT_EQ(::listen(socket_, 8), 0);
}
TakenPort::~TakenPort() { ::close(socket_); }

Call::Call(const fs::path& directory, int number, const std::vector<std::string>& arguments,
           const std::vector<std::string>& launch)
    : out_(directory / fmt::format("{}.out", number)), err_(directory / fmt::format("{}.err", number)) {
  ChildSpec spec;
  spec.command = {"/bin/sh", "-c", R"(o=$1 e=$2; shift 2; exec "$@" >"$o" 2>"$e")", "sh", out_, err_};
  spec.command.insert(spec.command.end(), launch.begin(), launch.end());
  spec.command.emplace_back(EVENTSPACE_PROGRAM);
  spec.command.insert(spec.command.end(), arguments.begin(), arguments.end());
  process_ = std::make_unique<ChildProcess>(ChildProcess::start(spec));
}

Call::~Call() {
  if (!process_ || process_->poll()) return;
  process_->signal(SIGKILL);
  process_->wait();
}

int Call::status(std::chrono::nanoseconds limit) {
  if (!eventually([this] { return process_->poll().has_value(); }, limit)) {
    ADD_FAILURE() << "did not end\n" << out() << err();
    return -1;
  }
  const ExitState state = process_->wait();
  return state.signal == 0 ? state.status : -state.signal;
}

bool Call::says(const std::string& text) const {
  const auto said = [&] { return (out() + err()).find(text) != std::string::npos; };
  return eventually([&] { return said() || process_->poll(); }) && said();
}

Workplace::Workplace() {
  std::string name = (fs::temp_directory_path() / "eventspace-commands-XXXXXX").string();
  directory_ = ::mkdtemp(name.data());
  sweeper_ = std::make_unique<Sweeper>(directory_);
  fs::create_directory(file("shm"));
  ::setenv("EVENTSPACE_SHM_DIR", file("shm").c_str(), 1);
  ::setenv("XDG_RUNTIME_DIR", directory_.c_str(), 1);
  for (const char* variable :
       {"EVENTSPACE_SESSION", "EVENTSPACE_PATHMAP", "EVENTSPACE_PROCESS", "EVENTSPACE_COLLECT"}) {
    ::unsetenv(variable);
  }
  ground_ = ground_or_skip(directory_);
}

Workplace::~Workplace() {
  EXPECT_TRUE(kill_all_in(directory_));
  ground_.reset();
  std::error_code ignored;
  fs::remove_all(directory_, ignored);
}

fs::path Workplace::write(const std::string& name, const std::string& text) const {
  std::ofstream(file(name)) << text;
  return file(name);
}

Call Workplace::start(const std::vector<std::string>& arguments, const std::vector<std::string>& launch) {
  return {directory_, ++calls_, arguments, launch};
}

Call Workplace::call(const std::vector<std::string>& arguments) {
  Call call = start(arguments);
  call.status();
  return call;
}

void Workplace::start_servers_of(const fs::path& pathmap) {
  Call up = call({"up", pathmap});
  if (up.status() != 0) throw std::runtime_error("no servers: " + up.err());
}

Call Workplace::start_application_of(const fs::path& pathmap, const std::vector<std::string>& command) {
  std::vector<std::string> words{"run", pathmap, "--"};
  words.insert(words.end(), command.begin(), command.end());
  Call application = start(words);
  if (!application.says("ready p0") || !application.says("ready p1"))
    throw std::runtime_error("the application is not ready: " + application.err());
  return application;
}

std::string Workplace::node(const std::string& name, int port) const {
  if (port == 0) return "{}";
  const std::string place = fmt::format("host: {}, port: {}", ground_->address(name), port);
  const std::vector<std::string> launch = ground_->launch(name);
  if (launch.empty()) return "{" + place + "}";
  return fmt::format("{{{}, launch: [{}]}}", place, fmt::join(launch, ", "));
}

fs::path Workplace::tiny(int port1, int port2, const std::string& more, const std::string& collect_at) const {
  return write("tiny.yaml", fmt::format(R"(pathmap: 1
name: tiny
cluster:
  nodes:
    n1: {}
    n2: {}
application:
  threads: [a, b]
  elements:
    - {{name: "log/{{thread}}", for: "*", tuple: [int], threshold: 10, when_full: discard}}
  paths:
    - {{thread: "*", name: log, element: "log/{{thread}}", use: write}}
placement:
  processes:
    p0: {{node: n1, threads: a}}
    p1: {{node: n2, threads: b}}
collect:
  points: [{{threads: "*", at: [{}], threshold: 20000}}]
scopes:
  all:
    threads: "*"
    at: [thread, element]
    levels:
      - {{group: all, wrapper: gather}}
      - {{group: node, wrapper: gather}}
{}
)",
                                        node("n1", port1), node("n2", port2), collect_at, more));
}

std::vector<int> Workplace::processes_with(const std::string& argument) const {
  return processes_in(directory_, argument);
}

}  // namespace eventspace::testing_commands
