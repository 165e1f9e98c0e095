#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "paths/views/view.h"
#include "scopes/reading/generations.h"
#include "scopes/reading/local_segments.h"
#include "scopes/reading/process_sources.h"
#include "scopes/reading/read_transaction.h"
#include "scopes/tree/plan_names.h"

namespace eventspace {

/// One process whose trace elements a scope reads, from run to run. Decides which run is read, and reports
/// data that cannot be read.
///
/// find_newest goes to the newest generation. find_unread follows the process from one generation to the
/// next:
/// 1. The first pull begins with the newest generation; events of earlier ones are not read.
/// 2. Each pull reads one generation and reports the process of that generation.
/// 3. Reading changes to the next generation when the process of this one has ended and all its events and
///    names were in views that arrived. So nothing is lost between two generations, and pulls do not return
///    to an older one.
/// 4. Generations that can no longer be read, because more than `generations_kept` followed or a file was
///    truncated, are listed in View::missing until a view that lists them has arrived.
///
/// After resume_after, reading continues where another reader of the process stopped: in the run of the
/// positions. Events overwritten since count as this scope's loss. If that run's segment is gone, reading
/// begins with all events of the oldest later run, as soon as there is one.
///
/// A dynamic process, which is not in the plan, is one run: another run of the program is another process.
///
/// Not thread-safe. A pull first calls settle and one of the find functions, which use LocalSegments, and
/// then check and the functions below it. The latter may run at the same time for different processes.
class FollowedProcess {
 public:
  /// `probes`: also read the trace elements that the process adds for its probes; see ScopeTree::probes.
  FollowedProcess(std::uint32_t number, LocalSegments& segments, const PlanNames& names, bool probes = false)
      : number_(number), segments_(&segments), names_(&names), sources_(number, probes) {}
  /// A dynamic process: all its trace elements are read.
  FollowedProcess(DynamicProcess process, LocalSegments& segments, const PlanNames& names)
      : number_(process.number),
        segments_(&segments),
        names_(&names),
        sources_(process.number, LocalNumbering(process.number)),
        dynamic_(std::move(process)) {}

  [[nodiscard]] std::uint32_t number() const noexcept { return number_; }
  [[nodiscard]] ProcessSources& sources() noexcept { return sources_; }
  [[nodiscard]] const ProcessSources& sources() const noexcept { return sources_; }
  /// Call this before the first pull, once for each trace element with a position.
  void resume_after(const ReadPosition& position) { resume_.push_back(position); }

  /// See Transacted.
  void settle(bool arrived);
  /// The same for scopes that read the newest events: they do not have read positions, only news that are
  /// sent once.
  void settle_news(bool arrived);
  void find_newest();
  void find_unread();

  /// Tests whether the segment's memory may be read, and keeps the result for this pull. One system call.
  bool check();
  [[nodiscard]] bool is_readable() const noexcept { return readable_; }
  /// The segment of the run that is read. Requires is_readable().
  [[nodiscard]] const SegmentView& segment() const noexcept { return *reading_->segment; }

  /// Adds unread events of its trace elements to the view. Requires is_readable() and find_unread().
  void read_unread(Pull& pull);
  /// Adds the trace elements that cannot be read to View::missing.
  void report_missing(View& view);
  /// Adds a report of the process to View::processes. Requires is_readable().
  void report_process(const PullWishes& wishes, View& view) const;
  /// Adds to View::names the process's names that were not in a view that arrived, up to the limit of one
  /// view, if its probes are read. Requires is_readable().
  void report_names(View& view);
  /// Adds the positions of the trace elements that moved to View::positions. Adds all positions if no view
  /// that arrived has any of this run, so that they are not mistaken for positions of another run. "No run
  /// yet" counts as a run, because all events of a run that is found later are unread.
  void report_positions(View& view);
  /// Returns whether everything that a dynamic process recorded, and all its names, were in views that
  /// arrived, and it has stopped recording. Requires that a find function was called before.
  [[nodiscard]] bool is_over();
  /// The run of a dynamic process; null for a process of the plan.
  [[nodiscard]] const Generation* only_run() const noexcept {
    return dynamic_ ? dynamic_->run.get() : nullptr;
  }
  /// Whether the segment of a dynamic process still exists, according to LocalSegments.
  [[nodiscard]] bool is_listed() const noexcept { return is_listed_; }
  void set_listed(bool listed) noexcept { is_listed_ = listed; }
  /// Releases the segment, which is unmapped if it has no other user. The next pull must find one again.
  void release() noexcept { reading_.reset(); }

 private:
  [[nodiscard]] LocalSegments::Found find() const;
  [[nodiscard]] std::string_view name() const;
  [[nodiscard]] std::optional<OwnName> name_in_scope(const SegmentName& name) const;
  void begin(std::shared_ptr<const Generation> newest);
  void note_moment();
  void look_for_more();
  void follow();
  [[nodiscard]] bool is_intact() const noexcept { return !predates_ && reading_->readable(); }
  [[nodiscard]] bool is_read_out();
  [[nodiscard]] bool are_names_reported() const;
  [[nodiscard]] bool runs_beside_newer() const;
  void take_up(std::shared_ptr<const Generation> generation, bool followed);
  void resume(const SegmentView& segment);
  void report_unrecorded(View& view);
  void miss(MissingCause cause, std::string detail, std::size_t sources, View& view) const;

  std::uint32_t number_;
  LocalSegments* segments_;
  const PlanNames* names_;
  ProcessSources sources_;
  std::optional<DynamicProcess> dynamic_;
  bool is_listed_{true};
  std::shared_ptr<const Generation> reading_;  // null before the first pull, and after release
  std::int64_t bound_{0};                      // the number of the generation to which the sources are bound
  bool predates_{false};                       // reading_ is older than the run in `resume_`, and is not read
  bool followed_{false};                       // see ProcessReport::followed
  bool readable_{false};                       // the last result of check
  std::uint64_t complete_{ProcessReport::all_ticks};  // see ProcessReport::complete_ticks
  std::string refusal_;               // why a file that should be of a newer generation was refused
  std::vector<ReadPosition> resume_;  // empty once a generation is read
  std::uint64_t given_up_{0};         // lost generations not yet listed in a view that arrived
  std::uint64_t given_up_named_{0};   // the part of these that the last view listed
  Transacted<std::optional<std::int64_t>> reported_run_;  // the generation whose positions were in a view
  Transacted<std::uint64_t> reported_unrecorded_;         // SegmentView::unrecorded that a view reported
  Transacted<std::size_t> reported_names_;                // how many names of the segment were in views
};

}  // namespace eventspace
