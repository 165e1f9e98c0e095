#pragma once

#include <fmt/format.h>

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "tests/monitors/workplace.h"

namespace eventspace::testing_commands {

/// An application to be watched: threads t0 and t1 in process p0 on node n1, t2 and t3 in p1 on n2, in
/// operations of the collective "sum" about every millisecond; the root is on n1.
class CollectivesWorkplace : public Workplace {
 protected:
  [[nodiscard]] std::filesystem::path pathmap(const std::string& scopes) const {
    return write("sums.yaml",
                 fmt::format("pathmap: 1\nname: sums\ncluster:\n  nodes:\n    n1: {}\n    n2: {}\n"
                             "application:\n  threads: [\"t[0-3]\"]\n  collectives:\n"
                             "    sum: {{kind: all-reduce, threads: \"*\", tuple: int, combine: sum,\n"
                             "          levels: [{{group: all, on: n1}}, {{group: process}}]}}\n"
                             "placement:\n  processes:\n"
                             "    p0: {{node: n1, threads: \"t[0-1]\"}}\n"
                             "    p1: {{node: n2, threads: \"t[2-3]\"}}\n"
                             "collect:\n  points: [{{at: [thread, element], threshold: 1000}}]\n"
                             "{}",
                             node("n1", free_port()), node("n2", free_port()), scopes));
  }
  /// Starts servers and application. `how`: the arguments of collective_app.
  void begin(const std::vector<std::string>& how = {}) {
    start_servers_of(pathmap_);
    run(how);
  }
  void run(const std::vector<std::string>& how) {
    std::vector<std::string> command{COLLECTIVE_APP};
    command.insert(command.end(), how.begin(), how.end());
    application_.emplace(start_application_of(pathmap_, command));
  }

  // The pathmap has no scope of collectives, so that the commands generate one.
  std::filesystem::path pathmap_ = pathmap("");
  std::optional<Call> application_;
};

}  // namespace eventspace::testing_commands
