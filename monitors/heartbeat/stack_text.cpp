#include "monitors/heartbeat/stack_text.h"

#include <fmt/format.h>

#include "monitors/text/text_format.h"

namespace eventspace {
namespace {

Json json_of(const StackFrame& frame) {
  return Json::object({{"function", frame.function.empty() ? Json() : Json(frame.function)},
                       {"source", frame.source.empty() ? Json() : Json(frame.source)},
                       {"module", frame.module.empty() ? Json() : Json(frame.module)},
                       {"address", fmt::format("{:#x}", frame.address)}});
}

}  // namespace

std::vector<std::string> describe_stack(const CulpritStack& culprit, const PlanNames& names) {
  const std::string_view thread = names.thread_name(culprit.thread);
  if (!culprit.refusal.empty()) return {fmt::format("{}: stack unknown: {}", thread, culprit.refusal)};
  std::vector<std::string> lines;
  for (const StackFrame& frame : culprit.stack.frames) {
    const std::string before = lines.empty() ? fmt::format("{} is in ", thread) : "  called by ";
    lines.push_back(before + describe_frame(frame));
  }
  if (!culprit.stack.is_whole) lines.emplace_back("  called by unknown functions");
  lines.push_back(fmt::format("  (stopped for {} to read its stack)", short_duration(culprit.stack.stopped)));
  return lines;
}

Json json_of(const CulpritStack& culprit, const PlanNames& names) {
  const bool is_known = culprit.refusal.empty();
  Json frames = Json::array();
  for (const StackFrame& frame : culprit.stack.frames) frames.add(json_of(frame));
  return Json::object({{"thread", names.thread_name(culprit.thread)},
                       {"refusal", is_known ? Json() : Json(culprit.refusal)},
                       {"stopped_ns", is_known ? Json(culprit.stack.stopped.count()) : Json()},
                       {"whole", is_known && culprit.stack.is_whole},
                       {"frames", frames}});
}

}  // namespace eventspace
