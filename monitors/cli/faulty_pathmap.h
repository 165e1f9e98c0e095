#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include <eventspace/error.h>
#include "pathmaps/plan/fault.h"
#include "pathmaps/plan/plan.h"

namespace eventspace {

/// Thrown for a pathmap that yields no plan. Holds all its faults; what() is the closing line with their
/// number.
class FaultyPathmap : public ConfigurationError {
 public:
  FaultyPathmap(const std::filesystem::path& file, std::vector<Fault> faults);
  [[nodiscard]] const std::vector<Fault>& faults() const noexcept { return faults_; }
  /// A hint for a file that other pathmaps include, or for a file that is not a pathmap; otherwise empty.
  [[nodiscard]] const std::string& note() const noexcept { return note_; }

 private:
  std::vector<Fault> faults_;
  std::string note_;
};

/// Reads the plan of `file`, or of standard input for `-`, as every command does. Throws FaultyPathmap.
std::shared_ptr<const Plan> read_pathmap(const std::filesystem::path& file);
/// As above, for commands that need a file: `-`, standard input, is a ConfigurationError. `need` is the
/// reason, such as "other processes read it too".
std::shared_ptr<const Plan> read_pathmap_file(const std::filesystem::path& file, const std::string& need);

}  // namespace eventspace
