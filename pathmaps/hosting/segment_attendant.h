#pragma once

#include <atomic>
#include <functional>
#include <memory>
#include <string>

#include "paths/server/server.h"
#include "scopes/reading/local_segments.h"

namespace eventspace {

/// Maps the segment of each process as soon as it appears, in the loop of a server that reads segments. A
/// pull can then read the events of a process that started and ended since the previous pull.
class SegmentAttendant final : public Attendant {
 public:
  /// Also does the work of `other`, if given. `warn`, which may be empty, is called by the loop's thread if
  /// the directory cannot be watched. `segments` and `other` must outlive the attendant.
  SegmentAttendant(LocalSegments& segments, std::function<void(const std::string&)> warn,
                   Attendant* other = nullptr);

  void begin(LinkPool& links, std::function<void()> call) override;
  void attend() override;
  Deadline due() override;
  void end() override;

 private:
  LocalSegments* segments_;
  std::function<void(const std::string&)> warn_;
  Attendant* other_;
  std::unique_ptr<DirectoryWatch> watch_;
  std::atomic<bool> is_new_{false};
};

}  // namespace eventspace
