#include <eventspace/stream_network.h>

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <utility>

#include <eventspace/streams.h>
#include "tuplespace/system/plain_text.h"

// A report is lines of words. Texts come last in a line; numbers are decimal.
//
//     network NAME                      for a network, followed by
//     back-ends N, attached RANKS, internals RANKS, silent RANKS
//     tree LINE                         a line of the topology
//
//     process NUMBER PID MALFORMED      for each process
//     host NAME
//     endpoint ENDPOINT
//     stream NUMBER SYNCHRONISE WHEN_FULL COUNTERS LOADS
//     filter DOWN COUNTERS NAME         for the preceding stream

namespace eventspace::streams {
namespace {

constexpr std::size_t max_lines = 1u << 20;

constexpr std::array counters{&StreamCounters::received,        &StreamCounters::sent,
                              &StreamCounters::received_bytes,  &StreamCounters::sent_bytes,
                              &StreamCounters::dropped,         &StreamCounters::late,
                              &StreamCounters::refused,         &StreamCounters::waves,
                              &StreamCounters::partial_waves,   &StreamCounters::faults,
                              &StreamCounters::synchronising_ns};
static_assert(sizeof(StreamCounters) == counters.size() * sizeof(std::uint64_t),
              "each counter is in the table above");
constexpr std::array filter_counters{&FilterCounters::applied, &FilterCounters::taken, &FilterCounters::made,
                                     &FilterCounters::faults, &FilterCounters::ns};
static_assert(sizeof(FilterCounters) == filter_counters.size() * sizeof(std::uint64_t),
              "each counter is in the table above");
constexpr std::array loads{&StreamReport::waiting_up, &StreamReport::waiting_down, &StreamReport::unfinished};

/// The words of one line.
class Line {
 public:
  explicit Line(std::string_view text) : rest_(text) { key_ = word(); }
  [[nodiscard]] std::string_view key() const noexcept { return key_; }
  [[nodiscard]] std::string_view rest() const noexcept { return rest_; }

  std::string_view word() {
    const std::string_view word = rest_.substr(0, rest_.find(' '));
    rest_.remove_prefix(std::min(word.size() + 1, rest_.size()));
    return word;
  }
  template <class Number>
  bool number(Number& value) {
    const std::string_view text = word();
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    return error == std::errc() && end == text.data() + text.size();
  }

 private:
  std::string_view rest_;
  std::string_view key_;
};

std::vector<std::string_view> lines_of(std::string_view text) {
  std::vector<std::string_view> lines;
  while (!text.empty() && lines.size() < max_lines) {
    lines.push_back(text.substr(0, text.find('\n')));
    text.remove_prefix(std::min(lines.back().size() + 1, text.size()));
  }
  return lines;
}

/// Reads a value of an enumeration from 0 to `last`.
template <class Choice>
bool read_choice(Line& line, Choice& value, Choice last) {
  std::uint32_t number = 0;
  if (!line.number(number) || number > static_cast<std::uint32_t>(last)) return false;
  value = static_cast<Choice>(number);
  return true;
}

bool read_stream(Line& line, ProcessReport& process) {
  StreamReport& stream = process.streams.emplace_back();
  bool fine = line.number(stream.stream) && read_choice(line, stream.synchronise, Synchronise::rule) &&
              read_choice(line, stream.when_full, WhenFull::disconnect);
  for (const auto counter : counters) fine = fine && line.number(stream.counters.*counter);
  for (const auto load : loads)
    fine = fine && line.number((stream.*load).packets) && line.number((stream.*load).bytes);
  return fine && line.rest().empty();
}

// Texts are displayed, so only plain text is accepted.
bool read_text(Line& line, std::string& text) {
  text = line.rest();
  return is_plain_text(text);
}

bool read_filter(Line& line, ProcessReport& process) {
  if (process.streams.empty()) return false;
  FilterReport& filter = process.streams.back().filters.emplace_back();
  std::uint32_t down = 0;
  bool fine = line.number(down) && down <= 1;
  filter.down = down == 1;
  for (const auto counter : filter_counters) fine = fine && line.number(filter.counters.*counter);
  return fine && read_text(line, filter.name);
}

/// Reads a line of a process; a `process` line begins a new one.
bool read_process_line(Line& line, std::vector<ProcessReport>& processes) {
  if (line.key() == "process") {
    ProcessReport& process = processes.emplace_back();
    return line.number(process.process) && line.number(process.pid) && line.number(process.malformed);
  }
  if (processes.empty()) return false;
  ProcessReport& process = processes.back();
  if (line.key() == "host") return read_text(line, process.host);
  if (line.key() == "endpoint") return read_text(line, process.endpoint);
  if (line.key() == "filter") return read_filter(line, process);
  return line.key() == "stream" && read_stream(line, process);
}

bool read_ranks(Line& line, RankSet& ranks) {
  const auto parsed = RankSet::parse(line.rest());
  if (parsed) ranks = *parsed;
  return parsed.has_value();
}

bool read_network_line(Line& line, NetworkReport& report) {
  if (line.key() == "network") return read_text(line, report.network);
  if (line.key() == "back-ends") return line.number(report.back_ends);
  if (line.key() == "attached") return read_ranks(line, report.attached);
  if (line.key() == "internals") return read_ranks(line, report.internals);
  if (line.key() == "silent") return read_ranks(line, report.silent);
  if (line.key() != "tree") return read_process_line(line, report.processes);
  std::string tree;
  if (!read_text(line, tree)) return false;
  report.topology += tree + '\n';
  return true;
}

std::string to_text(const StreamReport& stream) {
  std::string text = fmt::format("stream {} {} {}", stream.stream, static_cast<int>(stream.synchronise),
                                 static_cast<int>(stream.when_full));
  for (const auto counter : counters) text += fmt::format(" {}", stream.counters.*counter);
  for (const auto load : loads) text += fmt::format(" {} {}", (stream.*load).packets, (stream.*load).bytes);
  text += '\n';
  for (const FilterReport& filter : stream.filters) {
    text += fmt::format("filter {}", filter.down ? 1 : 0);
    for (const auto counter : filter_counters) text += fmt::format(" {}", filter.counters.*counter);
    text += fmt::format(" {}\n", filter.name);
  }
  return text;
}

}  // namespace

std::uint64_t StreamReport::filtering_ns() const noexcept {
  std::uint64_t sum = 0;
  for (const FilterReport& filter : filters) sum += filter.counters.ns;
  return sum;
}

std::string to_text(const ProcessReport& report) {
  std::string text = fmt::format("process {} {} {}\nhost {}\nendpoint {}\n", report.process, report.pid,
                                 report.malformed, report.host, report.endpoint);
  for (const StreamReport& stream : report.streams) text += to_text(stream);
  return text;
}

std::optional<ProcessReport> parse_process_report(std::string_view text) {
  std::vector<ProcessReport> processes;
  for (const std::string_view one : lines_of(text)) {
    Line line(one);
    if (!read_process_line(line, processes) || processes.size() > 1) return std::nullopt;
  }
  return processes.empty() ? std::nullopt : std::optional(std::move(processes.front()));
}

std::string to_text(const NetworkReport& report) {
  std::string text = fmt::format("network {}\nback-ends {}\nattached {}\ninternals {}\nsilent {}\n",
                                 report.network, report.back_ends, report.attached.to_text(),
                                 report.internals.to_text(), report.silent.to_text());
  for (const std::string_view line : lines_of(report.topology)) text += fmt::format("tree {}\n", line);
  for (const ProcessReport& process : report.processes) text += to_text(process);
  return text;
}

std::optional<NetworkReport> parse_network_report(std::string_view text) {
  NetworkReport report;
  for (const std::string_view one : lines_of(text)) {
    Line line(one);
    if (!read_network_line(line, report)) return std::nullopt;
  }
  return report.network.empty() ? std::nullopt : std::optional(std::move(report));
}

std::string_view to_string(WhenFull when_full) noexcept {
  switch (when_full) {
    case WhenFull::wait:
      return "wait";
    case WhenFull::drop_oldest:
      return "drop_oldest";
    case WhenFull::drop_newest:
      return "drop_newest";
    case WhenFull::disconnect:
      return "disconnect";
  }
  return "unknown";
}

std::string_view to_string(Synchronise synchronise) noexcept {
  switch (synchronise) {
    case Synchronise::wait_for_all:
      return "wait_for_all";
    case Synchronise::time_out:
      return "time_out";
    case Synchronise::do_not_wait:
      return "do_not_wait";
    case Synchronise::rule:
      return "rule";
  }
  return "unknown";
}

}  // namespace eventspace::streams
