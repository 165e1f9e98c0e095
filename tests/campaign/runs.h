#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "pathmaps/plan/plan.h"
#include "tuplespace/trace/segment.h"

namespace eventspace::testing_campaign {

/// All runs of an application's processes in the order of their starts, with their segments. Segments stay
/// mapped after the run has ended, so that the numbers of records of all runs are known at the end.
class Runs {
 public:
  Runs(const Plan& plan, std::filesystem::path segments) : plan_(&plan), directory_(std::move(segments)) {
    runs_.resize(plan.processes.size());
  }

  /// Adds the run of `process` with this pid. Returns false, and adds nothing, if it has no segment yet.
  bool note(std::size_t process, std::int32_t pid);

  /// Checks the log of a monitor against the runs. Returns a line for each violation.
  [[nodiscard]] std::vector<std::string> check(const std::string& log) const;

 private:
  using Segments = std::vector<std::unique_ptr<const SegmentView>>;
  struct Place {
    std::uint32_t trace{0};
    std::size_t process{0};
    std::int32_t pid{0};
    std::int64_t created_ns{0};
    std::uint64_t sequence{0};
  };

  [[nodiscard]] std::string check_change(const Place& left, std::int32_t pid, std::int64_t created_ns,
                                         bool named) const;
  [[nodiscard]] std::string check_final(const Place& place) const;
  [[nodiscard]] std::string check_read_out(const Place& place, const SegmentView& run) const;
  [[nodiscard]] std::size_t find(const Place& place) const;

  const Plan* plan_;
  std::filesystem::path directory_;
  std::vector<Segments> runs_;  // by process
};

}  // namespace eventspace::testing_campaign
