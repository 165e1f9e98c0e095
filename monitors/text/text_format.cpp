#include "monitors/text/text_format.h"

#include <fmt/chrono.h>
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <string_view>
#include <vector>

#include "collectors/kinds/event_kinds.h"
#include "collectors/mpi/mpi_text.h"
#include "collectors/probe_record.h"
#include "collectors/pvm/pvm_calls.h"
#include "scopes/tree/field_reader.h"
#include "tuplespace/parsing/words.h"
#include "tuplespace/system/plain_text.h"

namespace eventspace {
namespace {

// The text before the first comma that is outside parentheses and quotes.
std::string_view first_value(std::string_view texts) {
  int depth = 0;
  char quote = 0;
  for (std::size_t i = 0; i < texts.size(); ++i) {
    const char c = texts[i];
    if (quote != 0) {
      if (c == quote && texts[i - 1] != '\\') quote = 0;
    } else if (c == '"' || c == '\'') {
      quote = c;
    } else if (c == '(' || c == '[' || c == '{') {
      ++depth;
    } else if (c == ')' || c == ']' || c == '}') {
      --depth;
    } else if (c == ',' && depth == 0) {
      return texts.substr(0, i);
    }
  }
  return texts;
}

const std::vector<FieldReader>& value_fields() {
  static const std::vector<FieldReader> fields = [] {
    std::vector<FieldReader> made;
    for (std::size_t i = 1; i <= max_probe_values; ++i) made.emplace_back(fmt::format("value{}", i));
    return made;
  }();
  return fields;
}

// "iteration_end iteration=12 residual=0.5"
std::string describe_probe(const ObservedEvent& event, const PlanNames& names) {
  const std::uint32_t number = probe_name_of(event.record);
  std::string told(names.probe_name(number));
  std::string_view texts = names.probe_values(number);
  for (const FieldReader& field : value_fields()) {
    const std::string_view text = first_value(texts);
    texts.remove_prefix(std::min(texts.size(), text.size() + 1));
    const auto value = field.number(event);
    if (!value) break;
    told += fmt::format(" {}={:.6g}", text.empty() ? std::string_view(field.field().name) : trimmed(text),
                        *value);
  }
  return told;
}

}  // namespace

std::string short_duration(std::chrono::nanoseconds duration) {
  const auto ns = static_cast<double>(duration.count());
  // Rounded to three digits, 999.5us would be "1e+03us".
  if (ns < 999.5) return fmt::format("{:.0f}ns", ns);
  if (ns < 999.5e3) return fmt::format("{:.3g}us", ns / 1e3);
  if (ns < 999.5e6) return fmt::format("{:.3g}ms", ns / 1e6);
  if (ns < 60e9) return fmt::format("{:.1f}s", ns / 1e9);
  const auto seconds = static_cast<std::int64_t>(ns / 1e9);
  return fmt::format("{}min {}s", seconds / 60, seconds % 60);
}

std::string duration_of_ns(double ns) {
  constexpr double most = 9e18;
  return short_duration(std::chrono::nanoseconds(static_cast<std::int64_t>(std::clamp(ns, 0.0, most))));
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

std::string number_text(double number) {
  constexpr double min_long = 999999.5;  // rounded, a number of more than six digits
  constexpr double exact_until = 1e15;
  const double size = std::abs(number);
  if (size >= min_long && size < exact_until) return fmt::format("{:.0f}", number);
  return fmt::format("{:.6g}", number == 0.0 ? 0.0 : number);  // not -0
}

std::string format_realtime(std::int64_t realtime_ns) {
  constexpr std::int64_t second = 1'000'000'000;
  const std::int64_t seconds = realtime_ns / second;
  return fmt::format("{:%Y-%m-%dT%H:%M:%S}.{:09}Z", fmt::gmtime(static_cast<std::time_t>(seconds)),
                     realtime_ns - seconds * second);
}

std::string describe_operation(const EventRecord& record, const PlanNames& names) {
  if (record.kind == probe_kind) {
    const bool is_region = record.verb == static_cast<Verb>(ProbeVerb::region);
    return fmt::format("{} {}", is_region ? "region" : "probe", names.probe_name(record.peer));
  }
  if (record.kind == mpi_kind) {
    const MpiCallRecord call = mpi_call_of(record);
    return describe_mpi_call(call, names.communicator_name(call.communicator));
  }
  if (record.kind == pvm_kind) return describe_pvm_call(pvm_call_of(encode(record)));
  if (!record.is_operation())
    return fmt::format("{} {}", EventKinds::instance().name_of(record.kind), names.path_name(record.path));
  std::string text = fmt::format("{} {}", to_string(record.verb), names.path_name(record.path));
  if (record.peer == no_peer) return text;
  return fmt::format("{} {} {}", text, record.verb == Verb::write ? "to" : "from",
                     names.thread_name(record.peer));
}

std::string describe_event(const ObservedEvent& event, const PlanNames& names) {
  const EventRecord record = decode(event.record);
  return record.kind == probe_kind ? describe_probe(event, names) : describe_operation(record, names);
}

bool is_described(std::uint8_t kind, std::string_view field) {
  static constexpr std::array<std::string_view, 3> of_mpi{"partner", "tag", "ordinal"};
  if (kind == mpi_kind) return std::ranges::find(of_mpi, field) != of_mpi.end();
  if (kind == pvm_kind) return field == "tag";
  const auto is_it = [field](const FieldReader& reader) { return reader.field().name == field; };
  return kind == probe_kind && std::ranges::any_of(value_fields(), is_it);
}

std::string csv_value(const std::string& text) {
  std::string line = escaped(text);
  if (line.find_first_of(",\"") == std::string::npos) return line;
  std::string quoted = "\"";
  for (const char c : line) {
    if (c == '"') quoted += '"';
    quoted += c;
  }
  return quoted + '"';
}

}  // namespace eventspace
