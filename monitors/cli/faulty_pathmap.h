#pragma once

// Private to monitors/.

#include <filesystem>
#include <memory>
#include <vector>

#include "pathmaps/plan/fault.h"
#include "pathmaps/plan/plan.h"
#include "tuplespace/system/error.h"

namespace eventspace {

/// Thrown for a pathmap that yields no plan. Holds all its faults; what() is the closing line with their
/// number.
class FaultyPathmap : public ConfigurationError {
 public:
  FaultyPathmap(const std::filesystem::path& file, std::vector<Fault> faults);
  [[nodiscard]] const std::vector<Fault>& faults() const noexcept { return faults_; }

 private:
  std::vector<Fault> faults_;
};

/// Reads the plan of `file`, as every command does. Throws FaultyPathmap.
std::shared_ptr<const Plan> read_pathmap(const std::filesystem::path& file);

}  // namespace eventspace
