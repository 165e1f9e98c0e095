#include "monitors/init/host_file.h"

#include <fmt/format.h>

#include <algorithm>
#include <fstream>
#include <sstream>

#include <eventspace/error.h>
#include "tuplespace/parsing/number_in.h"
#include "tuplespace/system/file_beginning.h"
#include "tuplespace/system/plain_text.h"

namespace eventspace {
namespace {

constexpr std::size_t max_host_file_bytes = 1u << 20;
constexpr std::size_t max_hosts_in_a_file = 1000;
constexpr std::size_t max_processes_on_hosts = 10'000;
constexpr std::string_view slots_word = "slots=";

std::size_t slots_in(std::string_view word, const std::string& place) {
  const auto number =
      number_in<std::size_t>(word.starts_with(slots_word) ? word.substr(slots_word.size()) : "");
  if (number && *number >= 1 && *number <= max_processes_on_hosts) return *number;
  throw ConfigurationError(fmt::format("{}: found '{}'; expected slots=N, with N from 1 to {}, or nothing",
                                       place, escaped(std::string(word)), max_processes_on_hosts));
}

HostEntry entry_in(std::istringstream& words, const std::string& host, const std::string& place) {
  HostEntry entry{host};
  std::string word;
  if (words >> word) entry.processes = slots_in(word, place);
  if (words >> word)
    throw ConfigurationError(
        fmt::format("{}: found '{}' after the slots; expected the end of the line", place, escaped(word)));
  return entry;
}

void add_host(HostEntry entry, std::vector<HostEntry>& hosts) {
  const auto same = std::ranges::find(hosts, entry.host, &HostEntry::host);
  if (same == hosts.end()) {
    hosts.push_back(std::move(entry));
  } else {
    same->processes += entry.processes;
  }
}

void check_numbers(const std::vector<HostEntry>& hosts, const std::string& place) {
  std::size_t processes = 0;
  for (const HostEntry& entry : hosts) processes += entry.processes;
  if (hosts.size() <= max_hosts_in_a_file && processes <= max_processes_on_hosts) return;
  throw ConfigurationError(
      fmt::format("{}: too many hosts or processes; at most {} hosts and {} processes are allowed", place,
                  max_hosts_in_a_file, max_processes_on_hosts));
}

}  // namespace

std::vector<HostEntry> parse_host_file(std::string_view text, const std::string& name) {
  std::vector<HostEntry> hosts;
  std::istringstream lines{std::string(text)};
  std::string line;
  for (int number = 1; std::getline(lines, line); ++number) {
    const std::string place = fmt::format("{}:{}", name, number);
    std::istringstream words(line.substr(0, line.find('#')));
    std::string host;
    if (!(words >> host)) continue;
    add_host(entry_in(words, host, place), hosts);
    check_numbers(hosts, place);
  }
  if (hosts.empty()) throw ConfigurationError(name + ": found no hosts; expected one on each line");
  return hosts;
}

std::vector<HostEntry> read_host_file(const std::filesystem::path& file) {
  std::error_code ignored;
  if (!std::filesystem::is_regular_file(file, ignored))
    throw ConfigurationError("host file '" + escaped(file.string()) +
                             "' does not exist, or is not a regular file");
  std::ifstream in(file, std::ios::binary);
  const std::string text = beginning_of(in, max_host_file_bytes + 1);
  if (!in.is_open() || in.bad()) throw ConfigurationError("cannot read '" + escaped(file.string()) + "'");
  if (text.size() > max_host_file_bytes)
    throw ConfigurationError(
        fmt::format("'{}' is not a host file: it is larger than 1 MiB", escaped(file.string())));
  return parse_host_file(text, escaped(file.string()));
}

}  // namespace eventspace
