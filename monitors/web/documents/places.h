#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "monitors/web/documents/parts.h"

namespace eventspace::web {

/// The processes and nodes of the threads of a state, in the order of their first thread. Their indexes are
/// those of the part "names".
struct Places {
  explicit Places(const Looked& looked);

  std::vector<std::optional<std::size_t>> of_threads;  ///< indexes in `numbers`
  std::vector<std::uint32_t> numbers;                  ///< of the processes
  std::vector<std::size_t> of_processes;               ///< indexes in `nodes`
  std::vector<std::string> nodes;

 private:
  std::size_t index_of(std::uint32_t process, const Looked& looked);

  std::map<std::uint32_t, std::size_t> processes_;
  std::map<std::string, std::size_t> nodes_;
};

}  // namespace eventspace::web
