#pragma once

// Private to monitors/.

#include <filesystem>
#include <memory>
#include <vector>

#include "pathmaps/plan/fault.h"
#include "pathmaps/plan/plan.h"
#include "tuplespace/system/error.h"

namespace eventspace {

/// A pathmap that gave no plan, and all that is wrong with it. what() is the last line to say: how many
/// faults there are.
class FaultyPathmap : public ConfigurationError {
 public:
  FaultyPathmap(const std::filesystem::path& file, std::vector<Fault> faults);
  [[nodiscard]] const std::vector<Fault>& faults() const noexcept { return faults_; }

 private:
  std::vector<Fault> faults_;
};

/// The plan of `file`, or FaultyPathmap. Every command reads its pathmap with this.
std::shared_ptr<const Plan> read_pathmap(const std::filesystem::path& file);

}  // namespace eventspace
