#include "monitors/servers/server_report.h"

#include <fmt/format.h>
#include <fmt/ostream.h>

#include "monitors/cli/result_table.h"

namespace eventspace {
namespace {

void print_line(std::ostream& out, const ServerOutcome& outcome) {
  const std::string pid = outcome.pid != 0 ? fmt::format("pid {}, ", outcome.pid) : "";
  const std::string detail = outcome.detail.empty() ? "" : ": " + outcome.detail;
  fmt::print(out, "{}: {} ({}{}){}\n", outcome.node, to_string(outcome.state), pid, outcome.endpoint, detail);
}

}  // namespace

void print_outcomes(std::ostream& out, Format format, const std::vector<ServerOutcome>& outcomes) {
  if (format == Format::text) {
    for (const ServerOutcome& outcome : outcomes) print_line(out, outcome);
    return;
  }
  ResultTable table({"node", "state", "endpoint", "pid", "detail"});
  for (const ServerOutcome& outcome : outcomes) {
    Json pid;
    if (outcome.pid != 0) pid = outcome.pid;
    table.add({outcome.node, to_string(outcome.state), outcome.endpoint, pid, outcome.detail});
  }
  table.print(out, format);
}

}  // namespace eventspace
