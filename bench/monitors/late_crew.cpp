#include "bench/monitors/late_crew.h"

#include <fmt/format.h>

#include <cmath>
#include <random>
#include <stdexcept>

#include "bench/free_port.h"
#include "pathmaps/pathmap.h"

namespace eventspace::bench {
namespace {

using std::chrono::nanoseconds;
using std::chrono::steady_clock;

// Threads meet in their process, processes on their node's server, nodes on n2's. The monitor's scope is the
// one that `eventspace collectives` generates; `truth` yields all records.
constexpr const char* pathmap = R"(
pathmap: 1
name: late
cluster:
  nodes:
    n1: {{host: 127.0.0.1, port: {}}}
    n2: {{host: 127.0.0.1, port: {}}}
application:
  threads: ["t[0-7]"]
  collectives:
    sum: {{kind: all-reduce, threads: "*", tuple: int, combine: sum,
          levels: [{{group: all, on: n2}}, {{group: node, on: server}}, {{group: process}}]}}
placement:
  processes:
    p0: {{node: n1, port: {}, threads: "t[0-1]"}}
    p1: {{node: n1, port: {}, threads: "t[2-3]"}}
    p2: {{node: n2, port: {}, threads: "t[4-5]"}}
    p3: {{node: n2, port: {}, threads: "t[6-7]"}}
collect:
  threshold: {}
  points: [{{at: [thread, element]}}]
scopes:
  collectives:
    threads: "**"
    at: [thread, element]
    read: next
    timeout: 5s
    levels: [{{group: all, wrapper: gather}}, {{group: node, wrapper: collective}}]
  truth:
    threads: "t*"
    at: [thread]
    read: next
    timeout: 5s
    levels: [{{group: all, wrapper: gather}}]
)";

}  // namespace

std::vector<Delay> random_delays(std::size_t count, std::size_t threads, nanoseconds least, nanoseconds most,
                                 std::uint64_t seed) {
  std::mt19937_64 random(seed);
  std::uniform_int_distribution<std::size_t> any_thread(0, threads - 1);
  std::uniform_real_distribution<double> any_time(std::log(static_cast<double>(least.count())),
                                                  std::log(static_cast<double>(most.count())));
  std::vector<Delay> delays;
  delays.reserve(count);
  for (std::size_t i = 0; i < count; ++i) {
    const std::size_t thread = any_thread(random);
    delays.push_back({thread, nanoseconds(static_cast<std::int64_t>(std::exp(any_time(random))))});
  }
  return delays;
}

std::shared_ptr<const Plan> LateCrew::plan(std::size_t threshold) {
  const std::string text = fmt::format(pathmap, free_port(), free_port(), free_port(), free_port(),
                                       free_port(), free_port(), threshold);
  LoadResult loaded = parse_plan(text, "the benchmark");
  if (!loaded.plan) throw std::runtime_error(loaded.faults.front().text);
  return std::make_shared<const Plan>(std::move(*loaded.plan));
}

LateCrew::LateCrew(const std::shared_ptr<const Plan>& plan, const std::string& session,
                   std::vector<Delay> delays)
    : delays_(std::move(delays)), others_(plan->thread_count() - 1) {
  sessions_.reserve(plan->processes.size());
  for (const ProcessPlan& process : plan->processes)
    sessions_.push_back(Session::join(plan, process.name, {.name = session}));
  for (Session& joined : sessions_) {
    for (const std::string& name : joined.threads()) {
      const std::size_t number = plan->find_thread(name).value().number();
      members_.emplace_back([this, &joined, name, number] { take_part(joined.thread(name), number); });
    }
  }
}

LateCrew::~LateCrew() {
  is_over_ = true;
  for (Session& session : sessions_) session.close();
}

void LateCrew::take_part(SessionThread& me, std::size_t number) {
  Path& path = me.path("sum");
  while (!may_begin_ && !is_over_) std::this_thread::sleep_for(std::chrono::milliseconds(1));
  for (std::size_t operation = 0; operation < delays_.size() && !is_over_; ++operation) {
    if (delays_[operation].thread == number) {
      come_late(operation);
    } else {
      ++set_out_;
    }
    if (path.exchange(Tuple::of({std::int64_t{1}}))) continue;
    failed_ = !is_over_;
    return;
  }
}

// No thread begins the next operation before this one has ended, so the count does not change while the late
// thread waits for the others.
void LateCrew::come_late(std::size_t operation) const {
  while (set_out_ < others_ * (operation + 1) && !is_over_) std::this_thread::yield();
  for (const auto end = steady_clock::now() + delays_[operation].by;
       steady_clock::now() < end && !is_over_;) {
  }
}

}  // namespace eventspace::bench
