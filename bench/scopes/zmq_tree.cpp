// zmq_tree --leaves L --bytes B [--gateways G] [--pulls N]: a pull through plain ZeroMQ, for comparison. A
// DEALER socket sends 64 bytes to each of L processes, which answer with B bytes, over TCP on loopback. With
// --gateways, G servers are in between; each queries its share of the leaves and joins their answers. All
// requests are sent before any answer is awaited. Prints the number of pulls and the time as one line of
// JSON.
//
// --rate HZ: pulls at this rate until SIGTERM or SIGINT, and prints "watching" when it begins, like the
// monitor that is measured (observer.cpp).
//
// The servers are forked copies of one process, like those that `eventspace up` starts: all have their code
// at the same addresses, so the branch predictions that a processor learns in one serve all others.
#include <fmt/format.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <ctime>
#include <set>
#include <stdexcept>
#include <string>
#include <vector>
#include <zmq.hpp>

#include "bench/free_port.h"
#include "bench/run_program.h"

namespace eventspace::bench {
namespace {

using Clock = std::chrono::steady_clock;
using Ports = std::vector<std::uint16_t>;

constexpr std::size_t request_bytes = 64;

sigset_t ending_signals() {
  sigset_t signals;
  ::sigemptyset(&signals);
  ::sigaddset(&signals, SIGTERM);
  ::sigaddset(&signals, SIGINT);
  return signals;
}

std::string endpoint_of(std::uint16_t port) { return fmt::format("tcp://127.0.0.1:{}", port); }

/// Asks several servers at the same time.
class Asker {
 public:
  Asker(zmq::context_t& context, const Ports& ports) {
    for (const std::uint16_t port : ports)
      sockets_.emplace_back(context, zmq::socket_type::dealer).connect(endpoint_of(port));
  }

  /// Returns the answers, one after the other.
  const std::vector<std::byte>& pull() {
    for (zmq::socket_t& socket : sockets_) socket.send(zmq::buffer(request_), zmq::send_flags::none);
    answers_.clear();
    for (zmq::socket_t& socket : sockets_) {
      zmq::message_t answer;
      if (!socket.recv(answer)) continue;
      const auto* const data = answer.data<std::byte>();
      answers_.insert(answers_.end(), data, data + answer.size());
    }
    return answers_;
  }

 private:
  std::vector<zmq::socket_t> sockets_;
  std::vector<std::byte> request_ = std::vector<std::byte>(request_bytes);
  std::vector<std::byte> answers_;
};

[[noreturn]] void serve(std::uint16_t port, const Ports& below, std::size_t bytes) {
  zmq::context_t context;
  zmq::socket_t router(context, zmq::socket_type::router);
  router.bind(endpoint_of(port));
  Asker asker(context, below);
  const std::vector<std::byte> own(bytes);
  while (true) {
    zmq::message_t peer;
    zmq::message_t request;
    if (!router.recv(peer) || !router.recv(request)) continue;
    const std::vector<std::byte>& answer = below.empty() ? own : asker.pull();
    router.send(peer, zmq::send_flags::sndmore);
    router.send(zmq::buffer(answer), zmq::send_flags::none);
  }
}

/// Servers as child processes, which end when this process ends.
class Servers {
 public:
  ~Servers() {
    for (const pid_t pid : pids_) ::kill(pid, SIGKILL);
    for (const pid_t pid : pids_) ::waitpid(pid, nullptr, 0);
  }
  void start(std::uint16_t port, const Ports& below, std::size_t bytes) {
    const pid_t pid = ::fork();
    if (pid < 0) throw std::runtime_error("fork failed");
    if (pid > 0) return pids_.push_back(pid);
    ::prctl(PR_SET_PDEATHSIG, SIGKILL);
    ::_exit(run_program("zmq_tree", [&]() -> int { serve(port, below, bytes); }));
  }

 private:
  std::vector<pid_t> pids_;
};

struct Options {
  std::size_t leaves{8};
  std::size_t gateways{0};
  std::size_t bytes{64};
  std::size_t pulls{1000};
  double rate{0};  ///< pulls per second; 0 means `pulls` pulls as fast as possible
};

/// Returns ports that all differ.
Ports free_ports(std::size_t count) {
  std::set<std::uint16_t> ports;
  while (ports.size() < count) ports.insert(free_port());
  return {ports.begin(), ports.end()};
}

/// Waits until `until` or a signal. Returns whether a signal ended the wait.
bool ended_by_signal(Clock::time_point until) {
  const auto left = std::max(until - Clock::now(), Clock::duration::zero());
  const auto seconds = std::chrono::floor<std::chrono::seconds>(left);
  const timespec wait{seconds.count(), std::chrono::nanoseconds(left - seconds).count()};
  const sigset_t signals = ending_signals();
  return ::sigtimedwait(&signals, nullptr, &wait) > 0;
}

/// Pulls until a signal, and returns the number of pulls.
std::size_t pull_at_rate(Asker& asker, double rate) {
  const auto between = std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(1 / rate));
  std::puts("watching");
  std::fflush(stdout);
  std::size_t pulls = 0;
  for (auto next = Clock::now(); !ended_by_signal(next); next = std::max(next + between, Clock::now())) {
    asker.pull();
    ++pulls;
  }
  return pulls;
}

std::size_t pull_often(Asker& asker, std::size_t pulls) {
  for (std::size_t i = 0; i < pulls; ++i) asker.pull();
  return pulls;
}

void measure(const Options& options) {
  const auto ports = free_ports(options.leaves + options.gateways);
  const auto first_gateway = ports.begin() + static_cast<std::ptrdiff_t>(options.leaves);
  const Ports leaves(ports.begin(), first_gateway);
  const Ports gateways(first_gateway, ports.end());
  Servers servers;
  for (const std::uint16_t port : leaves) servers.start(port, {}, options.bytes);
  for (std::size_t i = 0; i < gateways.size(); ++i) {
    const auto part = [&](std::size_t n) {
      return leaves.begin() + static_cast<std::ptrdiff_t>(n * leaves.size() / gateways.size());
    };
    servers.start(gateways[i], {part(i), part(i + 1)}, 0);
  }
  if (options.rate > 0) {
    const sigset_t signals = ending_signals();
    ::sigprocmask(SIG_BLOCK, &signals, nullptr);  // before ZeroMQ starts threads, which inherit the mask
  }
  zmq::context_t context;
  Asker asker(context, gateways.empty() ? leaves : gateways);
  if (asker.pull().size() != options.leaves * options.bytes)
    throw std::runtime_error("an answer was too short");
  const auto begun = Clock::now();
  const std::size_t pulls =
      options.rate > 0 ? pull_at_rate(asker, options.rate) : pull_often(asker, options.pulls);
  const std::chrono::duration<double> took = Clock::now() - begun;
  std::puts(fmt::format(R"({{"pulls":{},"seconds":{:.9f}}})", pulls, took.count()).c_str());
}

}  // namespace
}  // namespace eventspace::bench

int main(int argc, char** argv) {
  eventspace::bench::Options options;
  CLI::App app("pulls through a tree of plain ZeroMQ sockets and says how fast it went");
  app.add_option("--leaves", options.leaves)->check(CLI::Range(1, 1024));
  app.add_option("--gateways", options.gateways)->check(CLI::Range(0, 1024));
  app.add_option("--bytes", options.bytes, "size of each leaf's answer");
  app.add_option("--pulls", options.pulls)->check(CLI::PositiveNumber);
  app.add_option("--rate", options.rate, "pulls a second, until SIGTERM or SIGINT")
      ->check(CLI::PositiveNumber);
  CLI11_PARSE(app, argc, argv);
  return eventspace::bench::run_program("zmq_tree", [&] {
    eventspace::bench::measure(options);
    return 0;
  });
}
