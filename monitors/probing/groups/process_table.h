#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace eventspace {

/// A process that a launcher of parallel jobs has started.
struct LaunchedProcess {
  std::uint64_t rank{0};
  std::string host;  ///< of its machine, in the launcher's notation
  std::int32_t pid{0};
};

/// The processes that a launcher such as `mpirun` or `srun` has started, on all machines, as it publishes
/// them for debuggers: the table MPIR_proctable in its memory ("The MPIR Process Acquisition Interface",
/// version 1.0, 9.1). The content is distrusted: up to 65536 entries, and hosts of up to 255 bytes. Empty if
/// the process does not have such a table, has not filled it yet, or may not be read.
std::vector<LaunchedProcess> process_table_of(std::int32_t launcher);

/// Whether a launcher's name of a machine means the machine called `own`: each of the names may have a domain
/// or not. Pure.
bool is_same_host(std::string_view launched, std::string_view own);

}  // namespace eventspace
