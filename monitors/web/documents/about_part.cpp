#include <cmath>
#include <map>
#include <set>

#include "monitors/heartbeat/verdict.h"
#include "monitors/text/text_format.h"
#include "monitors/web/documents/parts.h"
#include "pathmaps/plan/plan_names.h"

namespace eventspace::web {
namespace {

constexpr Verdict all_verdicts[]{
    Verdict::running, Verdict::not_started, Verdict::ended,      Verdict::not_collected, Verdict::waiting,
    Verdict::apart,   Verdict::stuck,       Verdict::computing,  Verdict::blocked,       Verdict::silent,
    Verdict::stopped, Verdict::dead,        Verdict::unreachable};

Json letters() {
  Json all = Json::array();
  for (const Verdict verdict : all_verdicts) {
    all.add(Json::object({{"letter", std::string(1, letter_of(verdict))},
                          {"words", to_string(verdict)},
                          {"stalled", is_stalled(verdict)}}));
  }
  return all;
}

Json recording_of(const About& about) {
  if (!about.begin_ns || !about.length) return {};
  return Json::object({{"begin", format_realtime(*about.begin_ns)},
                       {"end", format_realtime(*about.begin_ns + about.length->count())},
                       {"length", seconds_of(*about.length)}});
}

/// The processes and nodes of the threads, in the order of their first thread.
struct Places {
  explicit Places(const Looked& looked) {
    const std::map<std::uint32_t, std::uint32_t> reported = reported_processes(*looked.state);
    for (const top::ThreadState& thread : looked.state->threads) {
      const auto found = reported.find(thread.health.thread);
      const auto planned = process_of_thread(*looked.plan, thread.health.thread);
      const auto process = found != reported.end() ? std::optional(found->second) : planned;
      of_threads.push_back(process ? std::optional(index_of(*process, looked)) : std::nullopt);
    }
  }

  static std::map<std::uint32_t, std::uint32_t> reported_processes(const top::State& state) {
    std::map<std::uint32_t, std::uint32_t> processes;
    for (const auto& [number, report] : state.processes)
      for (const ThreadReport& thread : report.threads) processes.emplace(thread.thread, number);
    return processes;
  }

  std::size_t index_of(std::uint32_t process, const Looked& looked) {
    const auto [at, is_new] = processes.emplace(process, numbers.size());
    if (!is_new) return at->second;
    numbers.push_back(process);
    const std::string node(looked.names->node_of_process(process));
    const auto [node_at, is_new_node] = node_indexes.emplace(node, nodes.size());
    if (is_new_node) nodes.push_back(node);
    of_processes.push_back(node_at->second);
    return at->second;
  }

  std::vector<std::optional<std::size_t>> of_threads;  // indexes in `numbers`
  std::vector<std::uint32_t> numbers;                  // of the processes
  std::vector<std::size_t> of_processes;               // indexes in `nodes`
  std::vector<std::string> nodes;
  std::map<std::uint32_t, std::size_t> processes;
  std::map<std::string, std::size_t> node_indexes;
};

}  // namespace

Json about_part(const About& about, const Looked& looked) {
  const Places places(looked);
  return Json::object({{"name", about.name},
                       {"kind", about.kind},
                       {"session", about.session},
                       {"recording", recording_of(about)},
                       {"threads", looked.state->threads.size()},
                       {"processes", places.numbers.size()},
                       {"nodes", places.nodes.size()},
                       {"letters", letters()}});
}

Json names_part(const Looked& looked) {
  const Places places(looked);
  Json threads = Json::array();
  Json of_threads = Json::array();
  for (std::size_t i = 0; i < places.of_threads.size(); ++i) {
    threads.add(looked.names->thread_name(looked.state->threads[i].health.thread));
    of_threads.add(Json(places.of_threads[i]));
  }
  Json processes = Json::array();
  Json ranks = Json::array();
  for (const std::uint32_t process : places.numbers) {
    processes.add(looked.names->process_name(process));
    const auto member = looked.names->member_of_process(process);
    ranks.add(member ? Json(member->rank) : Json());
  }
  Json nodes = Json::array();
  for (const std::string& node : places.nodes) nodes.add(node);
  Json of_processes = Json::array();
  for (const std::size_t node : places.of_processes) of_processes.add(node);
  Json paths = Json::array();
  for (const PathPlan& path : looked.plan->paths) paths.add(path.name);
  return Json::object({{"threads", std::move(threads)},
                       {"processes", std::move(processes)},
                       {"nodes", std::move(nodes)},
                       {"paths", std::move(paths)},
                       {"process_of_thread", std::move(of_threads)},
                       {"node_of_process", std::move(of_processes)},
                       {"rank_of_process", std::move(ranks)}});
}

Json no_part(std::string_view reason) { return Json::object({{"reason", reason}}); }

double seconds_of(std::chrono::nanoseconds duration) noexcept {
  return std::chrono::duration<double>(duration).count();
}

std::optional<double> seconds_of(const std::optional<std::chrono::nanoseconds>& duration) noexcept {
  if (!duration) return std::nullopt;
  return seconds_of(*duration);
}

double rounded(double value) noexcept {
  if (value == 0 || !std::isfinite(value)) return 0;
  const double scale = std::pow(10.0, 3 - std::floor(std::log10(std::abs(value))));
  return std::round(value * scale) / scale;
}

}  // namespace eventspace::web
