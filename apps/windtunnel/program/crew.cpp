#include "apps/windtunnel/program/crew.h"

#include <fmt/format.h>

#include <set>

#include <eventspace/error.h>
#include "tuplespace/parsing/number_in.h"

namespace eventspace::windtunnel {

std::string worker_name(std::size_t number) { return fmt::format("t{}", number); }

std::optional<std::size_t> worker_number(std::string_view thread) {
  if (!thread.starts_with('t')) return std::nullopt;
  const auto number = leading_number<std::size_t>(thread.substr(1));
  // Comparing the names excludes "t", "t01" and "t1x" at once.
  if (worker_name(number) != thread) return std::nullopt;
  return number;
}

std::size_t count_workers(const Plan& plan) {
  std::size_t count = 0;
  for (const auto& thread : plan.threads) count += worker_number(thread.name) ? 1 : 0;
  if (count == 0)
    throw ConfigurationError(
        fmt::format("pathmap {} has no workers; they are threads t0, t1, ...", plan.name));
  for (std::size_t i = 0; i < count; ++i)
    if (!plan.find_thread(worker_name(i)))
      throw ConfigurationError(fmt::format("pathmap {} has {} workers, but no {}; they are numbered from t0",
                                           plan.name, count, worker_name(i)));
  if (!plan.find_thread(kMainThread))
    throw ConfigurationError(
        fmt::format("pathmap {} has no thread {}, which collects the results", plan.name, kMainThread));
  return count;
}

std::size_t count_worker_processes(const Plan& plan) {
  std::set<Host> processes;
  for (const auto& thread : plan.threads)
    if (thread.is_thread() && worker_number(thread.name)) processes.insert(thread.host());
  return processes.size();
}

}  // namespace eventspace::windtunnel
