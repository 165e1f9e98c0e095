#include "collectors/pvm/pvm_calls.h"

#include <fmt/format.h>

namespace eventspace {
namespace {

std::string partner_of(const PvmCallRecord& call) {
  if (call.of == PvmClass::group)
    return call.partner == PvmCallRecord::none ? "" : fmt::format(" root {}", call.partner);
  const bool sends = call.of == PvmClass::send;
  if (sends && call.tasks > 0) return fmt::format(" to {} tasks", call.tasks);
  const bool looks = call.of == PvmClass::receive || call.of == PvmClass::probe || call.of == PvmClass::look;
  if (!sends && !looks) return "";
  if (call.partner != PvmCallRecord::none)
    return fmt::format(" {} {}", sends ? "to" : "from", name_of_pvm_task(call.partner));
  return call.has(PvmMarks::any_source) ? " from any" : "";
}

}  // namespace

std::string_view to_string(PvmClass of) noexcept {
  switch (of) {
    case PvmClass::send:
      return "send";
    case PvmClass::receive:
      return "receive";
    case PvmClass::group:
      return "group";
    case PvmClass::pack:
      return "pack";
    case PvmClass::unpack:
      return "unpack";
    case PvmClass::probe:
      return "probe";
    case PvmClass::manage:
      return "manage";
    case PvmClass::wait:
      return "wait";
    case PvmClass::input:
      return "input";
    case PvmClass::output:
      return "output";
    case PvmClass::look:
      return "look";
  }
  return "";
}

std::string_view to_string(PvmEncoding encoding) noexcept {
  switch (encoding) {
    case PvmEncoding::none:
      return "";
    case PvmEncoding::portable:
      return "portable";
    case PvmEncoding::raw:
      return "raw";
    case PvmEncoding::in_place:
      return "in-place";
    case PvmEncoding::trace:
      return "trace";
  }
  return "";
}

std::vector<std::uint32_t> pvm_destinations_of(std::span<const TraceTuple> event) {
  std::vector<std::uint32_t> tasks;
  if (event.empty()) return tasks;
  for (const TraceTuple& record : event.first(event.size() - 1)) {
    for (std::size_t i = 0; i < pvm_parts::in_each; ++i) {
      const auto task = static_cast<std::uint32_t>(record.words[5 + i / 2] >> (i % 2 * 32));
      if (task != 0) tasks.push_back(task);
    }
  }
  return tasks;
}

std::span<const std::string_view> pvm_call_names() {
  static const auto names = [] {
    std::array<std::string_view, pvm_calls.size() + 1> words;
    for (std::size_t i = 0; i < pvm_calls.size(); ++i) words[i + 1] = pvm_calls[i].name;
    return words;
  }();
  return names;
}

std::string name_of_pvm_call(std::uint16_t number) {
  const bool is_known = number > 0 && number <= pvm_calls.size();
  return is_known ? std::string(pvm_calls[number - 1U].name) : fmt::format("call {}", number);
}

std::string name_of_pvm_task(std::uint32_t task) { return fmt::format("t{:x}", task); }

std::string describe_pvm_call(const PvmCallRecord& call) {
  std::string text = name_of_pvm_call(call.call) + partner_of(call);
  if (call.tag != PvmCallRecord::none) {
    text += fmt::format(" tag {}", call.tag);
  } else if (call.has(PvmMarks::any_tag)) {
    text += " with any tag";
  }
  return call.of == PvmClass::look ? text + fmt::format(", {} in vain", call.calls) : text;
}

}  // namespace eventspace
