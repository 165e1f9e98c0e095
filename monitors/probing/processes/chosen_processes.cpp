#include "monitors/probing/processes/chosen_processes.h"

#include <fmt/format.h>

#include <algorithm>

#include "monitors/probing/processes/process_modules.h"
#include "paths/parameters/glob.h"
#include "tuplespace/system/error.h"

namespace eventspace {

std::vector<std::int32_t> chosen_processes(const ProcessChoice& choice) {
  std::vector<std::int32_t> pids;
  const auto add = [&pids](std::int32_t pid) {
    if (std::ranges::find(pids, pid) == pids.end()) pids.push_back(pid);
  };
  std::ranges::for_each(choice.pids, add);
  for (const std::string& pattern : choice.names) {
    if (const auto fault = glob_fault(pattern); !fault.empty())
      throw ConfigurationError(fmt::format("the name '{}' {}", pattern, fault));
    bool has_any = false;
    for (const ProcessName& process : processes_here()) {
      if (!glob_match(pattern, process.name)) continue;
      add(process.pid);
      has_any = true;
    }
    if (!has_any)
      throw EnvironmentError(
          fmt::format("no process on this machine runs a program with the name '{}'", pattern));
  }
  return pids;
}

}  // namespace eventspace
