#pragma once

// Private to monitors/.

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>

#include "monitors/probing/variables/program_variable.h"

namespace eventspace {

/// Reads variables of processes again and again, by their pids. Each is looked up in the tables of symbols
/// once, also one that is not there. Not thread-safe.
class VariableReader {
 public:
  struct Reading {
    std::optional<ProgramVariable::Value> value;
    std::string refusal;  ///< why there is no value
  };

  /// `variable` as for parse_variable(), which it may throw as.
  Reading read(std::int32_t pid, const std::string& variable);
  /// Forgets what was not read since the last call: those processes have ended, or are meant no more.
  void forget_unread();

 private:
  struct Known {
    std::optional<ProgramVariable> variable{};
    std::string refusal{};
    bool was_read{true};
  };
  static Known look_up(std::int32_t pid, const std::string& variable);

  std::map<std::pair<std::int32_t, std::string>, Known> known_;
};

}  // namespace eventspace
