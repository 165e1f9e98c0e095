#include "monitors/top/thread_filter.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string_view>

#include "paths/parameters/glob.h"

namespace eventspace::top {
namespace {

constexpr std::array<ValueType, 1> condition{ValueType::boolean};

bool looks_like_glob(const std::string& text) {
  constexpr std::string_view characters = "_-.*?[]{},/";
  return std::all_of(text.begin(), text.end(), [&](unsigned char c) {
    return (c >= '0' && c <= '9') || ((c | 0x20U) >= 'a' && (c | 0x20U) <= 'z') ||
           characters.find(static_cast<char>(c)) != std::string_view::npos;
  });
}

}  // namespace

ThreadFilter::ThreadFilter(std::string text, const PlanNames& names)
    : text_(std::move(text)), names_(&names) {
  if (text_.empty()) return;
  const bool is_glob = Expression::fault(text_, condition) && looks_like_glob(text_);
  if (!is_glob) {
    expression_ = std::make_shared<const Expression>(text_, condition, names);
  } else if (const std::string_view fault = glob_fault(text_); !fault.empty()) {
    throw ConfigurationError(fmt::format("glob '{}' {}", text_, fault));
  }
}

bool ThreadFilter::shows(const ThreadState& thread, const State& state) const {
  if (text_.empty()) return true;
  if (!expression_) return glob_match(text_, names_->thread_name(thread.health.thread));
  return std::any_of(thread.paths.begin(), thread.paths.end(), [&](const PathState& path) {
    return holds(path.last, state) || holds(path.in_flight, state);
  });
}

bool ThreadFilter::holds(const std::optional<EventRecord>& record, const State& state) const {
  if (!record) return false;
  const auto source = names_->source_of(record->path, record->point);
  const auto process = source ? state.processes.find(source->process) : state.processes.end();
  return expression_->holds({encode(*record), process == state.processes.end() ? nullptr : &process->second});
}

}  // namespace eventspace::top
