#include "bench/scopes/observed_application.h"

#include <fmt/format.h>
#include <unistd.h>

#include <stdexcept>

#include <eventspace/probe.h>
#include "bench/free_port.h"
#include "pathmaps/pathmap.h"
#include "pathmaps/plan/session_plan.h"

namespace eventspace::bench {
namespace {

constexpr const char* pathmap = R"(
pathmap: 1
name: bench
cluster:
  nodes:
    n: {{host: 127.0.0.1, port: {port}}}
application:
  threads: ["t[0-{last}]"]
  elements:
    - {{name: "progress/{{thread}}", for: "t*", tuple: [int], when_full: discard, threshold: 1}}
  paths:
    - {{thread: "t*", name: progress, element: "progress/{{thread}}", use: write}}
placement:
  processes:
    p: {{node: n, threads: ["t*"]}}
  elements:
    - {{elements: "progress/**", with: writer}}
collect:
  threshold: 200
  points:
    - {{threads: "t*", at: [thread]}}
scopes:
  direct:
    threads: "t*"
    read: newest
    direct: true
    levels:
      - {{group: all, wrapper: gather}}
  served:
    threads: "t*"
    read: newest
    timeout: 60s
    levels:
      - {{group: all, wrapper: gather}}
      - {{group: node, wrapper: gather}}
)";

std::shared_ptr<const Plan> plan_of(std::size_t threads) {
  LoadResult loaded = parse_plan(
      fmt::format(pathmap, fmt::arg("port", free_port()), fmt::arg("last", threads - 1)), "the benchmark");
  if (!loaded.plan) throw std::runtime_error(loaded.faults.front().text);
  return std::make_shared<const Plan>(std::move(*loaded.plan));
}

// Several applications may live at once.
std::string next_session() {
  static int applications = 0;
  return fmt::format("bench-{}-{}", getpid(), applications++);
}

}  // namespace

ObservedApplication::ObservedApplication(std::size_t threads)
    : plan_(plan_of(threads)),
      session_name_(next_session()),
      session_(Session::join(plan_, "p", {.name = session_name_})),
      server_(plan_, NodeIndex(0), {.session = session_name_}) {
  for (const std::string& name : session_.threads()) {
    SessionThread& thread = session_.thread(name);
    if (thread.path("progress").write(Tuple::of({std::int64_t{1}})) != Status::ok)
      throw std::runtime_error("thread " + name + " could not write");
  }
  server_.start();
}

DynamicApplication::DynamicApplication(std::size_t threads)
    : session_(Session::open(next_session())), plan_(plan_of_session(session_.name())) {
  for (std::size_t i = 0; i < threads; ++i) {
    session_.thread(fmt::format("t{}", i));
    EVENTSPACE_PROBE("progress", 1);
  }
}

}  // namespace eventspace::bench
