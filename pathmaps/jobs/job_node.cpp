#include "pathmaps/jobs/job_node.h"

#include <arpa/inet.h>
#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include <eventspace/error.h>
#include "pathmaps/plan/session_plan.h"
#include "tuplespace/parsing/number_in.h"
#include "tuplespace/system/plain_text.h"

namespace eventspace {
namespace {

constexpr std::string_view first_line_of_job_node = "eventspace-job-node 1";
constexpr std::size_t longest_node = 63;
constexpr std::size_t longest_failure = 1000;

/// The lines of a text, each with a word and a value.
class Lines {
 public:
  Lines(std::string_view text, std::string_view source) : rest_(text), source_(source) {
    if (line() != first_line_of_job_node)
      refuse(fmt::format("its first line is not '{}'", first_line_of_job_node));
  }

  [[nodiscard]] bool has(std::string_view word) const {
    return rest_.starts_with(word) && rest_.substr(word.size()).starts_with(' ');
  }
  std::string_view value(std::string_view word) {
    if (!has(word)) refuse(fmt::format("line '{}' is missing", word));
    return line().substr(word.size() + 1);
  }
  template <class Number>
  Number number(std::string_view word) {
    const std::string_view text = value(word);
    const auto number = number_in<Number>(text);
    if (!number || *number < 1)
      refuse(fmt::format("'{}' is '{}'; expected 1 to {}", word, made_plain(text, 20),
                         std::numeric_limits<Number>::max()));
    return *number;
  }
  void end() {
    if (line() != "end" || !rest_.empty()) refuse("it does not end with its only line 'end'");
  }
  [[noreturn]] void refuse(std::string_view why) const {
    throw ConfigurationError(
        fmt::format("{} is not a file that a machine of a job writes: {}", source_, why));
  }

 private:
  std::string_view line() {
    const std::size_t length = rest_.find('\n');
    if (length == std::string_view::npos) refuse("it ends within a line");
    const std::string_view line = rest_.substr(0, length);
    rest_.remove_prefix(length + 1);
    return line;
  }

  std::string_view rest_;
  std::string_view source_;
};

std::string plain_value(Lines& lines, std::string_view word, std::size_t most) {
  const std::string_view text = lines.value(word);
  if (text.empty() || made_plain(text, most) != text)
    lines.refuse(fmt::format("'{}' is '{}'; expected 1 to {} bytes without control characters", word,
                             made_plain(text, 20), most));
  return std::string(text);
}

std::string machine_in(Lines& lines) {
  std::string machine = plain_value(lines, "machine", 16);
  if (machine.size() != 16 || machine.find_first_not_of("0123456789abcdef") != std::string::npos)
    lines.refuse("'machine' does not have 16 hexadecimal digits");
  return machine;
}

std::string address_in(Lines& lines) {
  constexpr std::size_t longest = 15;
  std::string address = plain_value(lines, "address", longest);
  in_addr binary{};
  if (::inet_pton(AF_INET, address.c_str(), &binary) != 1)
    lines.refuse(fmt::format("'{}' is not an IPv4 address", address));
  return address;
}

void read_place(Lines& lines, JobNode& node) {
  node.port = lines.number<std::uint16_t>("port");
  do {
    node.addresses.push_back(address_in(lines));
    if (node.addresses.size() > max_job_addresses)
      lines.refuse(fmt::format("it has more than {} addresses", max_job_addresses));
  } while (lines.has("address"));
}

}  // namespace

std::string to_text(const JobNode& node) {
  std::string text = fmt::format("{}\nsession {}\nnode {}\nmachine {}\npid {}\n", first_line_of_job_node,
                                 node.session, node.node, node.machine, node.pid);
  if (node.ranks > 0 && node.ranks_of_job > 0)
    text += fmt::format("ranks {}\nof {}\n", node.ranks, node.ranks_of_job);
  if (!node.failure.empty()) text += fmt::format("failure {}\n", made_plain(node.failure, longest_failure));
  if (node.failure.empty()) text += fmt::format("port {}\n", node.port);
  for (const std::string& address : node.addresses) text += fmt::format("address {}\n", address);
  return text + "end\n";
}

JobNode parse_job_node(std::string_view text, std::string_view source) {
  Lines lines(text, source);
  JobNode node;
  node.session = plain_value(lines, "session", longest_node);
  check_session_name(node.session);
  node.node = plain_value(lines, "node", longest_node);
  node.machine = machine_in(lines);
  node.pid = lines.number<std::int32_t>("pid");
  if (lines.has("ranks")) {
    node.ranks = lines.number<std::uint32_t>("ranks");
    node.ranks_of_job = lines.number<std::uint32_t>("of");
  }
  if (lines.has("failure"))
    node.failure = plain_value(lines, "failure", longest_failure);
  else
    read_place(lines, node);
  lines.end();
  return node;
}

}  // namespace eventspace
