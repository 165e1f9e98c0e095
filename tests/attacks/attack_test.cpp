#include "tests/attacks/attack.h"
#include "tests/pathmaps/valid_plan.h"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <cstdlib>
#include <fstream>
#include <functional>
#include <iostream>
#include <thread>

#include <eventspace/session.h>
#include "pathmaps/hosting/path_target.h"
#include "pathmaps/pathmap.h"
#include "pathmaps/sessions/consumer.h"
#include "paths/security/key_file.h"
#include "paths/wire/msgpack_body.h"
#include "scopes/scope_builder.h"
#include "scopes/tree/scope_codec.h"
#include "tests/paths/server_talk.h"
#include "tests/tuplespace/temporary_directory.h"
#include "tests/tuplespace/tied_process.h"
#include "tests/tuplespace/variable.h"

// An admitted peer attacks each kind of listening socket, for EVENTSPACE_ATTACK_SECONDS (2), while the owner
// continues its work: no crash, no growth, and the owner is served. In 60 s (label long): 20 000 messages and
// 10 000 connections.

namespace eventspace {
namespace {

using namespace std::chrono_literals;
using test::eventually;

constexpr std::size_t message_bytes = 1u << 20;

std::string pathmap_text(const std::string& security, const std::string& node_port,
                         const std::string& process_port) {
  return "pathmap: 1\nname: small\nsecurity: " + security +
         "\nlimits: {message: 1MiB}\ncluster:\n  nodes:\n    n1: "
         "{host: 127.0.0.1, "
         "port: " +
         node_port +
         "}\n"
         "application:\n  threads: [a, b]\n  elements:\n    - {name: box, tuple: [int], threshold: 4}\n"
         "  paths:\n    - {thread: a, name: send, element: box, use: write}\n"
         "    - {thread: b, name: receive, element: box, use: read}\n"
         "placement:\n  processes:\n    p0: {node: n1, threads: a}\n    p1: {node: n1, port: " +
         process_port +
         ", threads: b}\n  elements:\n    - {elements: box, with: reader}\n"
         "collect:\n  threshold: 100\n  points:\n    - {threads: [a, b], at: [thread]}\n"
         "scopes:\n  newest:\n    threads: [a, b]\n    at: [thread]\n    read: newest\n    timeout: 300ms\n"
         "    levels: [{group: all, wrapper: gather}, {group: node, wrapper: gather}]\n";
}

std::chrono::seconds attack_time() {
  const char* const seconds = std::getenv("EVENTSPACE_ATTACK_SECONDS");
  return std::chrono::seconds(seconds != nullptr ? std::max(1, std::atoi(seconds)) : 2);
}
bool is_long() { return attack_time() >= 60s; }

class AttackTest : public testing::Test {
 protected:
  AttackTest() { read_plan("none"); }
  void read_plan(const std::string& security) {
    pathmap = directory.path() / "small.yaml";
    std::ofstream(pathmap) << pathmap_text(security, std::to_string(node_port), std::to_string(process_port));
    plan = test::shared_plan(load_plan(pathmap));
  }
  ~AttackTest() override {
    if (pid > 0) {
      ::kill(pid, SIGKILL);
      ::waitpid(pid, nullptr, 0);
    }
  }

  void start(std::vector<std::string> words) {
    words.insert(words.begin(), ATTACKED_PROCESS);
    int tie[2];
    ASSERT_EQ(::pipe2(tie, O_CLOEXEC), 0);
    const int input = ::dup(STDIN_FILENO);
    ::dup2(tie[0], STDIN_FILENO);
    pid = test::start_tied(words);
    ::dup2(input, STDIN_FILENO);
    for (const int end : {tie[0], input}) ::close(end);
    end_of_tie = tie[1];
  }
  bool is_running() const { return ::waitpid(pid, nullptr, WNOHANG) == 0; }
  /// Resident memory of the attacked process, without shared memory, in bytes.
  std::int64_t memory() const {
    std::ifstream stream("/proc/" + std::to_string(pid) + "/statm");
    std::int64_t total = 0, resident = 0, shared = 0;
    stream >> total >> resident >> shared;
    return (resident - shared) * ::sysconf(_SC_PAGESIZE);
  }

  /// Valid messages: each kind, and each verb on targets that may be open.
  static test::Attack::Messages messages(const std::string& kind, const std::vector<std::byte>& spec) {
    return [kind, spec](std::uint64_t target) { return messages_to(target, kind, spec); };
  }
  static std::vector<wire::Message> messages_to(std::uint64_t target, const std::string& kind,
                                                const std::vector<std::byte>& spec) {
    std::vector<wire::Message> messages{wire::encode(1, wire::OpenRequest{kind, spec, {}}),
                                        wire::encode(1, wire::OpenRequest{kind, spec, {}}),
                                        wire::encode(1, wire::CloseRequest{0, 1, {}}),
                                        wire::encode(wire::Kind::ping, 1)};
    for (const Verb verb : {Verb::write, Verb::read, Verb::take, Verb::discard, Verb::pull, Verb::exchange}) {
      wire::Message message = wire::encode(1, wire::OperateRequest{target, verb, 1000, 1, 0});
      msgpack_body::write_into(message, [](msgpack_body::EntryWriter writer) {
        writer.array(2);
        writer.boolean(true);
        writer.integer(0);
      });
      wire::seal(message);
      messages.push_back(message);
    }
    messages.push_back(wire::encode(1, wire::Cancel{target, 1}));
    messages.push_back(wire::encode(wire::Kind::push, 1, wire::Push{target}));
    messages.push_back(wire::encode(wire::Kind::credit, 1, wire::Credit{target, UINT64_MAX}));
    return messages;
  }

  /// A part of the scope `newest`, as monitors send it to the server of node n1.
  [[nodiscard]] std::vector<std::byte> part() const {
    const ScopeTree& tree = plan->scopes.front();
    ScopeTree part{tree.scope, plan->scopes_fingerprint,  tree.next, tree.batch, 0,
                   {},         tree.root.children.front()};
    part.root.endpoint.clear();
    part.session = plan->name;  // a part of another session would not be opened
    return encode(part);
  }

  /// `work`: one piece of the owner's work; returns whether it succeeded. `keys`: which the attacker also
  /// has.
  void attack(const std::string& endpoint, test::Attack::Messages good, const std::function<bool()>& work,
              bool others_may_open = true, const std::shared_ptr<const SessionSecurity>& keys = nullptr) {
    ASSERT_TRUE(eventually(work));
    const auto rate = [&](std::chrono::milliseconds time) {
      std::int64_t count = 0;
      const auto begin = std::chrono::steady_clock::now();
      while (std::chrono::steady_clock::now() < begin + time) count += work() ? 1 : 0;
      return static_cast<double>(count) /
             std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
    };
    const auto time = attack_time();
    const double quiet = rate(std::min<std::chrono::milliseconds>(time / 2, 5s));
    const std::int64_t before = memory();
    std::atomic<bool> over{false};
    std::int64_t most = before;
    std::jthread watch([&] {
      for (; !over; std::this_thread::sleep_for(5ms)) most = std::max(most, memory());
    });
    const std::uint64_t seed = std::random_device{}();
    test::Attack attack(endpoint, std::move(good), message_bytes / 2, seed, keys);
    std::jthread attacker([&] {
      const int share = static_cast<int>(std::min<std::int64_t>(time.count(), 60));
      attack.run({time, 20'000 * share / 60, 10'000 * share / 60});
    });
    const double attacked = rate(time);
    attacker.join();
    over = true;
    watch.join();
    RecordProperty("quiet", std::to_string(quiet));
    std::cout << "seed " << seed << "; the owner's rate: " << quiet << "/s, attacked " << attacked
              << "/s; memory: " << before / 1024 << " KiB, at most " << most / 1024 << ", after "
              << memory() / 1024 << "; messages without end: " << attack.floods() << ", ended "
              << attack.floods_ended() << "\n";
    EXPECT_TRUE(is_running());
    EXPECT_TRUE(eventually(work));
    EXPECT_EQ(attack.targets_opened() > 0, others_may_open);
    // With keys, attacks without keys do not get this far.
    EXPECT_EQ(attack.floods() > 0, keys == nullptr);
    EXPECT_EQ(attack.floods_ended(), attack.floods());
    if (FREED_MEMORY_GOES_BACK) {
      EXPECT_TRUE(eventually([&] { return memory() < before + (16 << 20); }));
      EXPECT_LT(most, before + (64 << 20));  // data that arrives before the server checks, on a busy machine
    }
    if (is_long()) {
      EXPECT_GT(attacked, quiet / 2);
    }
  }

  test::TemporaryDirectory directory;
  test::Variable shared_memory{"EVENTSPACE_SHM_DIR", directory.path().string()};
  std::uint16_t node_port{test::free_port()};
  std::uint16_t process_port{test::free_port()};
  std::filesystem::path pathmap;
  std::shared_ptr<const Plan> plan;
  pid_t pid{-1};
  int end_of_tie{-1};
};

TEST_F(AttackTest, ANodesServerServesItsOwner) {
  start({"node", pathmap, "n1"});
  const Session p0 = Session::join(plan, "p0", Session::Options{});
  Consumer consumer(plan);
  EventScope scope = consumer.open("newest");
  attack(plan->nodes[NodeIndex(0)].endpoint(), messages(scope_target, part()),
         [&] { return !scope.pull({.deadline = Deadline::after(2s)}).processes.empty(); });
}

TEST_F(AttackTest, ANodesServerWithKeysServesItsOwnerThoughTheAttackerHasThem) {
  const test::Variable runtime("XDG_RUNTIME_DIR", directory.path().string());
  read_plan("curve");
  const auto keys = security_of_member(use_session_keys(plan->name));
  start({"node", pathmap, "n1"});
  const Session p0 = Session::join(plan, "p0", Session::Options{});
  Consumer consumer(plan);
  EventScope scope = consumer.open("newest");
  attack(
      plan->nodes[NodeIndex(0)].endpoint(), messages(scope_target, part()),
      [&] { return !scope.pull({.deadline = Deadline::after(2s)}).processes.empty(); }, true, keys);
}

TEST_F(AttackTest, AnApplicationsProcessServesItsOwner) {
  start({"process", pathmap, "p1"});
  test::Client client;
  RemoteTarget target = test::Client::target("", {test::local_endpoint(process_port)});
  target.open.kind = path_target;
  target.open.spec = path_spec(PathIndex(0), plan->fingerprint, plan->name);
  Path path("send", std::make_unique<RemoteStage>(client.links(), target));
  const auto write = [&] {
    const Status status = path.write(test::number(1), Deadline::now());
    return status == Status::ok || status == Status::full;
  };
  // The path is the owner's as long as it is connected.
  attack(test::local_endpoint(process_port), messages(path_target, target.open.spec), write, false);
}

TEST_F(AttackTest, AServerAtALocalSocketServesItsOwner) {
  const std::string endpoint = "ipc://" + (directory.path() / "socket").string();
  start({"local", endpoint});
  test::Client client;
  Path path = client.path("box", {endpoint});
  attack(endpoint, messages("element", test::octets_of("box")), [&] {
    const Status status = path.write(test::number(1), Deadline::now());
    return status == Status::ok || status == Status::full;
  });
}

}  // namespace
}  // namespace eventspace
