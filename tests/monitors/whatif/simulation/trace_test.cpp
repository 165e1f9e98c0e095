// Critical paths, and messages over time.
#include "monitors/whatif/simulation/trace.h"

#include <gmock/gmock.h>

#include <map>
#include <numeric>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "tests/monitors/whatif/simulation/program_story.h"

namespace eventspace::whatif {
namespace {

using story::loggp;
using story::program;
using story::us;
using testing::ElementsAre;

const LogGpNetwork ten{.latency = 10 * us};

CriticalPath path_of(const Outcome& outcome) {
  std::vector<Picoseconds> ends;
  for (const TaskOutcome& task : outcome.tasks) ends.push_back(task.execution);
  return critical_path(*outcome.trace, ends);
}

Picoseconds sum_of(const CriticalPath& path) {
  Picoseconds sum = std::accumulate(path.tasks.begin(), path.tasks.end(), Picoseconds{0});
  for (const CriticalPath::Link& link : path.links) sum += link.time;
  return sum;
}

TEST(CriticalPath, IsTheChainThatTheEndWaitedFor) {
  // Task 2 gets its message from 1, which waited for 0; earlier work of 1 does not count.
  const Outcome made =
      story::outcome(program(3,
                             "0 compute 100us\n0 send 1 1B\n0 compute 5us\n0 end\n"
                             "1 compute 50us\n1 recv 0 1B\n1 compute 20us\n1 send 2 1B\n1 end\n"
                             "2 recv 1 1B\n2 compute 7us\n2 end\n"),
                     loggp(ten), {.traces = true});
  const CriticalPath path = path_of(made);
  EXPECT_THAT(path.tasks, ElementsAre(100 * us, 20 * us, 7 * us));
  ASSERT_EQ(path.links.size(), 2u);
  EXPECT_EQ(path.links[0].time, 10 * us);
  EXPECT_EQ(path.links[0].messages, 1u);
  EXPECT_EQ(sum_of(path), made.execution);
}

TEST(CriticalPath, OfAMessageThatWasUnderWayBeginsWithItsSend) {
  const Outcome made =
      story::outcome(program(2, "0 compute 1us\n0 send 1 1B\n0 end\n1 compute 4us\n1 recv 0 1B\n1 end\n"),
                     loggp(ten), {.traces = true});
  const CriticalPath path = path_of(made);
  EXPECT_THAT(path.tasks, ElementsAre(us, 0));
  EXPECT_EQ(path.links.at(0).time, 10 * us);
}

TEST(CriticalPath, OfASendThatWaitedForItsReceiveGoesThroughTheReceiver) {
  LogGpNetwork network = ten;
  network.rendezvous = 0;
  const Outcome made = story::outcome(
      program(2, "0 send 1 1001B\n0 compute 9us\n0 end\n1 compute 40us\n1 recv 0 1001B\n1 end\n"),
      loggp(network), {.traces = true});
  const CriticalPath path = path_of(made);
  EXPECT_EQ(path.tasks.at(1), 40 * us);
  EXPECT_EQ(sum_of(path), made.execution);
}

// TCP's processing of a message that came long before begins with the receive: the path goes through the
// task.
TEST(CriticalPath, OfAMessageThatCameBeforeItsReceiveGoesThroughTheReceiver) {
  for (const char* const receive :
       {"1 recv 0 20000B tag 7 takes 13us\n", "1 recv 0 20000B tag 7 takes 13us partial\n",
        "1 irecv 0 20000B tag 7 request 0\n1 wait 0 takes 13us\n"}) {
    const Outcome made =
        story::outcome(program(2, std::string("0 send 1 20000B tag 7 takes 15us\n0 end\n1 compute 1s\n") +
                                      receive + "1 end\n"),
                       story::ethernet(), {.traces = true});
    const CriticalPath path = path_of(made);
    EXPECT_EQ(sum_of(path), made.execution);
    EXPECT_GE(path.tasks[1], ps_per_second) << receive;
    EXPECT_EQ(path.tasks[0], 0) << receive;
    for (const auto& link : path.links) EXPECT_LT(link.time, ps_per_second / 1000) << receive;
  }
}

TEST(CriticalPath, OfAReceiveThatWasPostedFirstGoesThroughTheSenderAlsoOnAnEthernet) {
  const Outcome made = story::outcome(
      program(2, "0 compute 1s\n0 send 1 20000B tag 7\n0 end\n1 recv 0 20000B tag 7\n1 compute 1ms\n1 end\n"),
      story::ethernet(), {.traces = true});
  const CriticalPath path = path_of(made);
  EXPECT_GE(path.tasks[0], ps_per_second);
  EXPECT_EQ(path.tasks[1], ps_per_second / 1000);
}

// --- compared with a longest path that is found by trying all ---------------------------------------------

/// A random program of work and messages on a network that has only a latency, as a graph: each action is a
/// node that ends after its own duration, after the previous action and, for a receive, after its send. The
/// durations are such that no two paths are equally long.
class RandomProgram {
 public:
  static constexpr std::uint32_t tasks = 4;
  static constexpr Picoseconds latency = 10 * us;

  explicit RandomProgram(std::uint32_t seed) : random_(seed) {
    last_.resize(tasks, none);
    for (int i = 0; i < 14; ++i) {
      const std::uint32_t task = random_() % tasks;
      const std::uint32_t other = (task + 1 + random_() % (tasks - 1)) % tasks;
      if (random_() % 2 == 0) {
        work(task);
      } else {
        message(task, other, static_cast<std::uint32_t>(i));
      }
    }
    for (std::uint32_t task = 0; task < tasks; ++task) work(task);
    for (std::uint32_t task = 0; task < tasks; ++task) lines_ += std::to_string(task) + " end\n";
  }

  [[nodiscard]] Outcome simulated() const {
    return story::outcome(program(tasks, lines_), loggp({.latency = latency}), {.traces = true});
  }
  /// The longest path to the end of any task: its time, and the shares of each task and pair of tasks.
  struct Longest {
    Picoseconds time{0};
    std::vector<Picoseconds> tasks;
    std::map<std::pair<std::uint32_t, std::uint32_t>, Picoseconds> links;
  };
  [[nodiscard]] Longest longest() const {
    Longest best;
    for (const std::size_t end : last_) try_all(end, {0, std::vector<Picoseconds>(tasks), {}}, best);
    return best;
  }
  [[nodiscard]] const std::string& lines() const noexcept { return lines_; }

 private:
  static constexpr std::size_t none = ~std::size_t{0};
  struct Node {
    std::uint32_t task{0};
    Picoseconds takes{0};
    std::size_t before{none};
    std::size_t sent{none};  // of a receive
  };

  std::size_t add(std::uint32_t task, Picoseconds takes, std::size_t sent = none) {
    nodes_.push_back({task, takes, last_[task], sent});
    return last_[task] = nodes_.size() - 1;
  }
  void work(std::uint32_t task) {
    const Picoseconds takes = Picoseconds{1 + static_cast<std::int64_t>(random_() % 40'000'000)};
    lines_ += std::to_string(task) + " compute " + std::to_string(takes) + "ps\n";
    add(task, takes);
  }
  void message(std::uint32_t from, std::uint32_t to, std::uint32_t tag) {
    const std::string behind = " 1B tag " + std::to_string(tag) + "\n";
    lines_ += std::to_string(from) + " send " + std::to_string(to) + behind;
    lines_ += std::to_string(to) + " recv " + std::to_string(from) + behind;
    const std::size_t sent = add(from, 0);
    add(to, 0, sent);
  }
  void try_all(std::size_t at, Longest path, Longest& best) const {
    if (at == none) {
      if (path.time > best.time) best = std::move(path);
      return;
    }
    const Node& node = nodes_[at];
    path.time += node.takes;
    path.tasks[node.task] += node.takes;
    try_all(node.before, path, best);
    if (node.sent == none) return;
    path.time += latency;
    path.links[{nodes_[node.sent].task, node.task}] += latency;
    try_all(node.sent, std::move(path), best);
  }

  std::mt19937 random_;
  std::vector<Node> nodes_;
  std::vector<std::size_t> last_;
  std::string lines_;
};

TEST(CriticalPath, OfRandomProgramsIsTheLongestPathOfAll) {
  for (std::uint32_t seed = 1; seed <= 300; ++seed) {
    const RandomProgram random(seed);
    const Outcome made = random.simulated();
    const CriticalPath path = path_of(made);
    const RandomProgram::Longest longest = random.longest();
    ASSERT_EQ(made.execution, longest.time) << "seed " << seed << '\n' << random.lines();
    ASSERT_EQ(path.tasks, longest.tasks) << "seed " << seed << '\n' << random.lines();
    std::map<std::pair<std::uint32_t, std::uint32_t>, Picoseconds> links;
    for (const auto& link : path.links)
      if (link.time > 0) links[{link.from, link.to}] = link.time;
    ASSERT_EQ(links, longest.links) << "seed " << seed << '\n' << random.lines();
  }
}

TEST(CriticalPath, OfManyMessagesAddsUpToTheExecutionTime) {
  std::string lines;
  for (int task = 0; task < 8; ++task) {
    for (int round = 0; round < 5; ++round)
      lines += std::to_string(task) + " compute " + std::to_string(1 + (task * 7 + round * 3) % 11) + "us\n" +
               std::to_string(task) + " allreduce 3000B\n";
    lines += std::to_string(task) + " end\n";
  }
  const Program of = program(8, lines);
  for (const Network& network : {loggp(ten), story::ethernet()}) {
    const Outcome made = story::outcome(of, network, {.traces = true});
    EXPECT_EQ(sum_of(path_of(made)), made.execution);
  }
}

TEST(Course, KeepsABoundedNumberOfSpansAndLosesNothing) {
  SimulationTrace::Course course;
  for (Picoseconds at = 0; at < 100'000 * us; at += 7 * us) course.add(at, 10);
  EXPECT_LE(course.spans().size(), SimulationTrace::Course::max_spans);
  std::uint64_t messages = 0;
  for (const auto& span : course.spans()) messages += span.messages;
  EXPECT_EQ(messages, 14286u);
  EXPECT_GE(static_cast<Picoseconds>(course.spans().size()) * course.span(), 99'995 * us);
}

TEST(Trace, ExistsOnlyOnRequest) {
  const Program of = program(2, "0 send 1 1B\n0 end\n1 recv 0 1B\n1 end\n");
  EXPECT_FALSE(story::outcome(of, loggp(ten)).trace.has_value());
  const Outcome made = story::outcome(of, loggp(ten), {.traces = true});
  EXPECT_EQ(made.trace->flows.size(), 1u);
}

}  // namespace
}  // namespace eventspace::whatif
