#include "monitors/cli/text_format.h"

#include <fmt/chrono.h>
#include <fmt/format.h>

#include <cmath>

namespace eventspace {

std::string short_duration(std::chrono::nanoseconds duration) {
  const auto ns = static_cast<double>(duration.count());
  if (ns < 1e3) return fmt::format("{:.0f}ns", ns);
  if (ns < 1e6) return fmt::format("{:.3g}us", ns / 1e3);
  if (ns < 1e9) return fmt::format("{:.3g}ms", ns / 1e6);
  if (ns < 60e9) return fmt::format("{:.1f}s", ns / 1e9);
  const auto seconds = static_cast<std::int64_t>(ns / 1e9);
  return fmt::format("{}min {}s", seconds / 60, seconds % 60);
}

std::string short_size(std::uint64_t bytes) {
  if (bytes < 1024) return fmt::format("{} B", bytes);
  auto size = static_cast<double>(bytes) / 1024;
  const char* unit = "KiB";
  for (const char* larger : {"MiB", "GiB", "TiB"}) {
    if (size < 1000) break;
    size /= 1024;
    unit = larger;
  }
  return fmt::format("{:.3g} {}", size, unit);
}

std::string format_realtime(std::int64_t realtime_ns) {
  constexpr std::int64_t second = 1'000'000'000;
  const std::int64_t seconds = realtime_ns / second;
  return fmt::format("{:%Y-%m-%dT%H:%M:%S}.{:09}Z", fmt::gmtime(static_cast<std::time_t>(seconds)),
                     realtime_ns - seconds * second);
}

std::string describe_operation(const EventRecord& record, const PlanNames& names) {
  std::string text = fmt::format("{} {}", to_string(record.verb), names.path_name(record.path));
  if (record.peer == no_peer) return text;
  return fmt::format("{} {} {}", text, record.verb == Verb::write ? "to" : "from",
                     names.thread_name(record.peer));
}

std::string csv_value(const std::string& text) {
  if (text.find_first_of(",\"\r\n") == std::string::npos) return text;
  std::string quoted = "\"";
  for (const char c : text) {
    if (c == '"') quoted += '"';
    quoted += c;
  }
  return quoted + '"';
}

}  // namespace eventspace
