#include <cmath>

#include "monitors/heartbeat/verdict.h"
#include "monitors/text/text_format.h"
#include "monitors/web/documents/parts.h"
#include "monitors/web/documents/places.h"

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
