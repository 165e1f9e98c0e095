#include "scopes/metrics/language/built_in_metrics.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>
#include <vector>

#include "scopes/metrics/language/waiting.h"

namespace eventspace::metrics {
namespace {

/// A class of events with its own count, volume and delay.
struct EventClass {
  std::string_view name;  // the metrics are NAME_count, NAME_volume and NAME_delay
  std::string_view of;    // for the help: "messages sent"
  std::string_view condition;
  bool has_volume;
  bool has_partners;
  Messages messages{Messages::calls};  // for the number and the volume
  // The same for the time, if it is of other events.
  std::string_view time_of{};
  std::string_view time_condition{};
};

constexpr std::array<EventClass, 21> classes{
    {{"Send", "sends of MPI, and writes on paths",
      "kind == 'mpi' and verb == 'send' or kind == 'operation' and point == 'thread' and verb == 'write'",
      true, true},
     {"Receive", "messages that came by MPI, and reads and takes on paths",
      "kind == 'mpi' and (verb == 'receive' or verb == 'send' or verb == 'complete') or kind == 'operation' "
      "and point == 'thread' and (verb == 'read' or verb == 'take')",
      true, true, Messages::received, "receives of MPI, and reads and takes on paths",
      "kind == 'mpi' and verb == 'receive' or kind == 'operation' and point == 'thread' and (verb == 'read' "
      "or verb == 'take')"},
     {"Wait", "waits for and tests of requests of MPI",
      "kind == 'mpi' and (verb == 'complete' or verb == 'look' and call != 'MPI_Iprobe' and call != "
      "'MPI_Improbe')",
      true, false, Messages::moved},
     {"Waiting", "calls and operations that can wait for others", waiting_condition, false, false},
     {"Collective", "collective operations of MPI, and exchanges on paths",
      "kind == 'mpi' and verb == 'collective' or kind == 'operation' and point == 'thread' and verb == "
      "'exchange'",
      true, false},
     {"Barrier", "barriers of MPI", "call == 'MPI_Barrier' or call == 'MPI_Ibarrier'", false, false},
     {"Bcast", "broadcasts of MPI", "call == 'MPI_Bcast' or call == 'MPI_Ibcast'", true, false},
     {"Reduce", "reductions of MPI to one rank", "call == 'MPI_Reduce' or call == 'MPI_Ireduce'", true,
      false},
     {"Allreduce", "reductions of MPI to all ranks", "call == 'MPI_Allreduce' or call == 'MPI_Iallreduce'",
      true, false},
     {"Gather", "gathers of MPI",
      "call == 'MPI_Gather' or call == 'MPI_Gatherv' or call == 'MPI_Igather' or call == 'MPI_Igatherv'",
      true, false},
     {"Allgather", "gathers of MPI to all ranks",
      "call == 'MPI_Allgather' or call == 'MPI_Allgatherv' or call == 'MPI_Iallgather' or call == "
      "'MPI_Iallgatherv'",
      true, false},
     {"Scatter", "scatters of MPI",
      "call == 'MPI_Scatter' or call == 'MPI_Scatterv' or call == 'MPI_Iscatter' or call == 'MPI_Iscatterv'",
      true, false},
     {"Alltoall", "exchanges of MPI between all ranks",
      "call == 'MPI_Alltoall' or call == 'MPI_Alltoallv' or call == 'MPI_Alltoallw' or call == "
      "'MPI_Ialltoall' "
      "or call == 'MPI_Ialltoallv' or call == 'MPI_Ialltoallw'",
      true, false},
     {"Scan", "prefix reductions of MPI",
      "call == 'MPI_Scan' or call == 'MPI_Exscan' or call == 'MPI_Iscan' or call == 'MPI_Iexscan'", true,
      false},
     {"File_read", "reads from files by MPI", "kind == 'mpi' and verb == 'input'", true, false},
     {"File_write", "writes to files by MPI", "kind == 'mpi' and verb == 'output'", true, false},
     {"File", "calls of MPI on files, opening and closing included",
      "kind == 'mpi' and (verb == 'input' or verb == 'output' or verb == 'file')", true, false},
     {"Region", "regions of the program", region_condition, false, false},
     {"Call", "calls of MPI", "kind == 'mpi'", true, false, Messages::moved},
     {"Operation", "operations on paths", "kind == 'operation' and point == 'thread'", true, false},
     {"Communication", "calls of MPI that are not on files, and operations on paths",
      "kind == 'mpi' and verb != 'input' and verb != 'output' and verb != 'file' or kind == 'operation' and "
      "point == 'thread'",
      true, false, Messages::moved}}};

BuiltInMetric metric_of(const EventClass& events, Source source) {
  constexpr std::array<std::string_view, 3> suffixes{"count", "volume", "delay"};
  constexpr std::array<std::string_view, 3> helps{"number of", "bytes of", "time in"};
  constexpr std::array<Unit, 3> units{no_unit, byte, second};
  const auto i = static_cast<std::size_t>(source);
  const bool is_time = source == Source::delay;
  const bool has_own_time = is_time && !events.time_condition.empty();
  BuiltInMetric made{fmt::format("{}_{}", events.name, suffixes[i]),
                     source,
                     units[i],
                     std::string(has_own_time ? events.time_condition : events.condition),
                     events.has_partners,
                     fmt::format("{} {}", helps[i], has_own_time ? events.time_of : events.of)};
  // For bytes that are only moved, calls are counted.
  const bool counts_calls = source == Source::count && events.messages == Messages::moved;
  if (!is_time && !counts_calls) made.messages = events.messages;
  return made;
}

void add_sampled(std::vector<BuiltInMetric>& made) {
  const auto add = [&made](std::string name, Source source, Unit unit, Resource resource, std::string help) {
    made.push_back({std::move(name), source, unit, "", false, std::move(help), resource});
  };
  add("Compute_time", Source::used, second, Resource::processor_time, "processor time of processes");
  add("Voluntary_switches", Source::used, no_unit, Resource::voluntary_switches,
      "how often threads of processes waited");
  add("Involuntary_switches", Source::used, no_unit, Resource::involuntary_switches,
      "how often threads of processes were displaced");
  add("Memory_growth", Source::used, byte, Resource::memory, "how much the memory of processes has grown");
  add("Memory_size", Source::present, byte, Resource::memory, "main memory that processes have");
  add("Time_error", Source::present, second, Resource::clock_error,
      "how far times of events of processes may be off the synchronised clock, of the worst process");
  add("Node_load", Source::present, no_unit, Resource::load,
      "threads that run or could run on nodes, mean of a minute");
  add("Node_processors", Source::present, no_unit, Resource::processors, "processors of nodes");
}

std::vector<BuiltInMetric> make_table() {
  std::vector<BuiltInMetric> made;
  for (const EventClass& events : classes) {
    made.push_back(metric_of(events, Source::count));
    if (events.has_volume) made.push_back(metric_of(events, Source::volume));
    made.push_back(metric_of(events, Source::delay));
  }
  made.push_back(
      {"Event_count", Source::count, no_unit, "", false, "number of events that fulfil a condition"});
  made.push_back(
      {"Event_volume", Source::volume, byte, "", false, "bytes of events that fulfil a condition"});
  made.push_back({"Event_delay", Source::delay, second, "", false, "time in events that fulfil a condition"});
  made.push_back({"Event_sum", Source::quantity, no_unit, "", false,
                  "sum of a number over events that fulfil a condition"});
  add_sampled(made);
  made.push_back({"Time", Source::time, second, "", false, "time of the synchronised clock"});
  return made;
}

}  // namespace

std::string signature(const BuiltInMetric& metric) {
  if (metric.source == Source::time) return metric.name + "(NOW)";
  if (metric.is_sampled())
    return fmt::format("{}(PROCESSES, {})", metric.name, metric.source == Source::used ? "INTERVAL" : "NOW");
  std::string text = metric.name + "(OBJECTS";
  if (metric.has_partners) text += "[, PARTNERS]";
  text += "[, REGIONS]";
  if (metric.source == Source::quantity) text += ", \"QUANTITY\"";
  if (metric.takes_condition()) text += ", \"CONDITION\"";
  return text + ", INTERVAL)";
}

std::span<const BuiltInMetric> built_in_metrics() {
  static const std::vector<BuiltInMetric> table = make_table();
  return table;
}

std::optional<std::uint32_t> built_in_metric_named(std::string_view name) {
  const auto table = built_in_metrics();
  const auto found = std::ranges::find(table, name, &BuiltInMetric::name);
  if (found == table.end()) return std::nullopt;
  return static_cast<std::uint32_t>(found - table.begin());
}

}  // namespace eventspace::metrics
