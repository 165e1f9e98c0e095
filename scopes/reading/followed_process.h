#pragma once

// Private to scopes/.

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "paths/views/view.h"
#include "scopes/reading/generations.h"
#include "scopes/reading/local_segments.h"
#include "scopes/reading/process_sources.h"
#include "scopes/reading/read_transaction.h"
#include "scopes/tree/plan_names.h"

namespace eventspace {

/// One process of which a scope reads trace elements, from run to run: which run is read now, and what of the
/// process cannot be read.
///
/// find_newest goes to the newest generation. find_unread follows the process from one generation to the
/// next:
/// 1. The first pull takes up the newest generation: the events of earlier ones are not unread here.
/// 2. A pull reads one generation, and reports that one's process.
/// 3. The next generation is taken up once the process of this one is gone and everything in it is read and
///    known to have arrived: nothing is lost between the two, and no pull goes back to an older one.
/// 4. What can no longer be read of older generations, as more than `generations_kept` followed or a file was
///    truncated, is named in View::missing until a view that says so has arrived.
///
/// With resume_after, another reader has read the process before: reading continues in the run that the
/// positions name, and what was overwritten in between is this scope's loss. If that run's segment is gone,
/// reading begins with the oldest run that was made after it, all of which is unread, once there is one.
///
/// Not thread-safe. A pull calls settle and one of the find functions, which use LocalSegments; then check
/// and the functions below it, which may run in other threads than those of other processes.
class FollowedProcess {
 public:
  FollowedProcess(std::uint32_t number, LocalSegments& segments, const PlanNames& names)
      : number_(number), segments_(&segments), names_(&names) {}

  [[nodiscard]] std::uint32_t number() const noexcept { return number_; }
  [[nodiscard]] ProcessSources& sources() noexcept { return sources_; }
  [[nodiscard]] const ProcessSources& sources() const noexcept { return sources_; }
  /// Before the first pull.
  void resume_after(const ReadPosition& position) { resume_.push_back(position); }

  /// See Transacted.
  void settle(bool arrived);
  void find_newest();
  void find_unread();

  /// Whether the segment may be touched, which then counts for this pull. One system call.
  bool check();
  [[nodiscard]] bool is_readable() const noexcept { return readable_; }
  /// Of the run that is read; only when it is readable.
  [[nodiscard]] const SegmentView& segment() const noexcept { return *reading_->segment; }

  /// Adds what cannot be read to View::missing.
  void report_missing(View& view);
  /// Adds a report of the process to View::processes; only when it is readable.
  void report_process(bool with_threads, View& view) const;
  /// Adds the positions of the trace elements that moved to View::positions. All positions are added when no
  /// view that arrived had any of this run, so that they are not taken for another run's; that there was no
  /// run yet counts as one, as any run that is found later is unread.
  void report_positions(View& view);
  /// Unmaps the segment, unless somebody else reads it; the next pull has to find one again.
  void release() noexcept { reading_.reset(); }

 private:
  void begin(std::shared_ptr<const Generation> newest);
  void follow();
  [[nodiscard]] bool is_intact() const noexcept { return !predates_ && reading_->readable(); }
  [[nodiscard]] bool is_read_out() const;
  [[nodiscard]] bool runs_beside_newer() const;
  void take_up(std::shared_ptr<const Generation> generation, bool followed);
  void resume(const SegmentView& segment);
  void miss(MissingCause cause, std::string detail, std::size_t sources, View& view) const;

  std::uint32_t number_;
  LocalSegments* segments_;
  const PlanNames* names_;
  ProcessSources sources_;
  std::shared_ptr<const Generation> reading_;  // null before the first pull, and after release
  std::int64_t bound_{0};                      // the number of the generation that the sources are bound to
  bool predates_{false};              // it is older than the run that `resume_` names, and is not read
  bool followed_{false};              // no event was skipped since the last run of which a view reported
  bool readable_{false};              // what check said last
  std::string refusal_;               // why a file that should be of a newer generation was refused
  std::vector<ReadPosition> resume_;  // until a generation is taken up
  std::uint64_t given_up_{0};         // generations with unread events, no view that names them has arrived
  std::uint64_t given_up_named_{0};   // of these, in the last view
  Transacted<std::optional<std::int64_t>> reported_run_;  // the generation whose positions a view had
};

}  // namespace eventspace
