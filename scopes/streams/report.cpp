#include "scopes/streams/report.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <utility>

#include "tuplespace/system/plain_text.h"

// A report is lines of words. Texts come last in a line; numbers are decimal.
//
//     network NAME                      of a network, and then
//     back-ends N, attached RANKS, internals RANKS, silent RANKS
//     tree LINE                         a line of the topology
//
//     process NUMBER PID MALFORMED      of each process
//     host NAME
//     endpoint ENDPOINT
//     stream NUMBER UP DOWN UNFINISHED COUNTERS

namespace eventspace::streams {
namespace {

constexpr std::size_t most_lines = 1u << 20;

constexpr std::array counters{&StreamCounters::received,      &StreamCounters::sent,
                              &StreamCounters::dropped,       &StreamCounters::late,
                              &StreamCounters::refused,       &StreamCounters::waves,
                              &StreamCounters::partial_waves, &StreamCounters::faults};
static_assert(sizeof(StreamCounters) == counters.size() * sizeof(std::uint64_t),
              "each counter is in the table above");

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
  while (!text.empty() && lines.size() < most_lines) {
    lines.push_back(text.substr(0, text.find('\n')));
    text.remove_prefix(std::min(lines.back().size() + 1, text.size()));
  }
  return lines;
}

bool read_stream(Line& line, ProcessReport& process) {
  StreamReport& stream = process.streams.emplace_back();
  bool fine = line.number(stream.stream) && line.number(stream.waiting_up) &&
              line.number(stream.waiting_down) && line.number(stream.unfinished);
  for (const auto counter : counters) fine = fine && line.number(stream.counters.*counter);
  return fine && line.rest().empty();
}

// Texts are shown to people, so nothing but plain text is taken.
bool read_text(Line& line, std::string& text) {
  text = line.rest();
  return is_plain_text(text);
}

/// Reads a line of a process; `process` line begins a new one.
bool read_process_line(Line& line, std::vector<ProcessReport>& processes) {
  if (line.key() == "process") {
    ProcessReport& process = processes.emplace_back();
    return line.number(process.process) && line.number(process.pid) && line.number(process.malformed);
  }
  if (processes.empty()) return false;
  ProcessReport& process = processes.back();
  if (line.key() == "host") return read_text(line, process.host);
  if (line.key() == "endpoint") return read_text(line, process.endpoint);
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

}  // namespace

std::string to_text(const ProcessReport& report) {
  std::string text = fmt::format("process {} {} {}\nhost {}\nendpoint {}\n", report.process, report.pid,
                                 report.malformed, report.host, report.endpoint);
  for (const StreamReport& stream : report.streams) {
    text += fmt::format("stream {} {} {} {}", stream.stream, stream.waiting_up, stream.waiting_down,
                        stream.unfinished);
    for (const auto counter : counters) text += fmt::format(" {}", stream.counters.*counter);
    text += '\n';
  }
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

}  // namespace eventspace::streams
