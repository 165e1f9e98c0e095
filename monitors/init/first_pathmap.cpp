#include "monitors/init/first_pathmap.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <nlohmann/json.hpp>

namespace eventspace {
namespace {

// JSON's strings are valid as YAML strings in double quotes.
std::string quoted_for_yaml(const std::string& text) {
  return nlohmann::json(text).dump(-1, ' ', true, nlohmann::json::error_handler_t::replace);
}

std::string heading_of(const FirstPathmap& first) {
  return fmt::format(
      R"(# A first pathmap, made by `eventspace init`: change it to what your program does. It describes everything about the
# program but its code, so programs stay as they are when it changes. After each change:
#
#     eventspace check {0}
#
# To run the program and look at it:
#
#     eventspace up {0}
#     eventspace run {0} -- PROGRAM ITS-OPTIONS &
#     eventspace heartbeat {0}
#     eventspace down {0}
#
# docs/pathmap.md describes each key, docs/library.md the functions that the program calls.
pathmap: 1
name: {1}
)",
      first.file, first.name);
}

std::string node_lines_of(const FirstPathmap& first) {
  std::string text = R"(
# The nodes on which it runs. A node is a machine, or a part of one, and has one server.
cluster:
  nodes:
)";
  if (first.hosts.empty()) return text + "    here: {}    # this machine: no ports are needed\n";
  for (std::size_t i = 0; i < first.hosts.size(); ++i)
    text += fmt::format("    n{}: {{host: {}, port: {}}}\n", i + 1, quoted_for_yaml(first.hosts[i].host),
                        first.port);
  return text;
}

std::string thread_range_of(std::size_t begin, std::size_t count) {
  return count == 1 ? fmt::format("t{}", begin) : fmt::format("\"t[{}-{}]\"", begin, begin + count - 1);
}

std::string command_line_of(const FirstPathmap& first) {
  if (first.command.empty())
    return "  # command: [./program, --its, options]    # what `eventspace run` starts without a command "
           "after \"--\"\n";
  std::vector<std::string> words;
  for (const std::string& word : first.command) words.push_back(quoted_for_yaml(word));
  return fmt::format("  command: [{}]\n", fmt::join(words, ", "));
}

std::string application_lines_of(const FirstPathmap& first, std::size_t threads) {
  std::string text = fmt::format(
      R"(
# The application: its threads, the elements through which they communicate, and the paths between them.
application:
{}  threads: [{}]
  elements:
    # A queue for all threads. A write waits while there are 100 tuples in it.
    - {{name: jobs, tuple: [int, bytes], threshold: 100}}
    # An element for each thread, with the 200 newest tuples. A write never waits.
    - {{name: "progress/{{thread}}", tuple: [int], threshold: 200, when_full: discard}}
  paths:
    - {{thread: t0, name: jobs, element: jobs, use: write}}
    - {{thread: "t*", name: job, element: jobs, use: read}}
    - {{thread: "t*", name: progress, element: "progress/{{thread}}", use: write}}
)",
      command_line_of(first), thread_range_of(0, threads));
  if (threads > 1)
    text += R"(  collectives:
    # A barrier: all threads call exchange() on their path "step", and each call returns when all have called.
    step: {kind: barrier, threads: "t*"}
)";
  return text;
}

struct NodeRow {
  std::string node;
  std::size_t processes;
};

std::vector<NodeRow> rows_of(const FirstPathmap& first) {
  if (first.hosts.empty()) return {{"here", first.processes}};
  std::vector<NodeRow> rows;
  for (std::size_t i = 0; i < first.hosts.size(); ++i)
    rows.push_back({fmt::format("n{}", i + 1), first.hosts[i].processes});
  return rows;
}

std::string placement_lines_of(const FirstPathmap& first) {
  std::string text = R"(
# The node and the threads of each process.
placement:
  processes:
)";
  if (!first.hosts.empty())
    text += "    # p0 has the queue and the barrier: processes on other hosts reach it at its port.\n";
  std::size_t process = 0;
  for (const NodeRow& row : rows_of(first)) {
    for (std::size_t i = 0; i < row.processes; ++i, ++process) {
      const std::string port =
          process == 0 && !first.hosts.empty() ? fmt::format(", port: {}", first.port + 1) : "";
      text += fmt::format("    p{}: {{node: {}{}, threads: {}}}\n", process, row.node, port,
                          thread_range_of(process * first.threads, first.threads));
    }
  }
  return text + "  elements:\n    - {elements: jobs, with: writer}\n";
}

constexpr const char* collect_and_scopes = R"(
# Each operation on each path is recorded; the 200 newest of a path are kept. A record takes 64 bytes of shared memory.
collect:
  threshold: 200
  points:
    - {at: thread}

# Monitors read through scopes: `eventspace heartbeat` and `top` through the first, `eventspace events` through the second.
scopes:
  heartbeat:
    levels:
      - {group: all, wrapper: gather}
      - {group: node, wrapper: gather}
      - {group: thread, wrapper: {reduce: {keep: latest}}}
  events:
    read: next
    levels:
      - {group: all, wrapper: merge}
      - {group: node, wrapper: merge}
)";

}  // namespace

std::string text_of(const FirstPathmap& first) {
  std::size_t processes = 0;
  for (const NodeRow& row : rows_of(first)) processes += row.processes;
  return heading_of(first) + node_lines_of(first) + application_lines_of(first, processes * first.threads) +
         placement_lines_of(first) + collect_and_scopes;
}

void spread(std::size_t processes, std::vector<HostEntry>& hosts) {
  for (std::size_t i = 0; i < hosts.size(); ++i)
    hosts[i].processes = processes * (i + 1) / hosts.size() - processes * i / hosts.size();
}

}  // namespace eventspace
