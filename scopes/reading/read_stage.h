#pragma once

// Private to scopes/.

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "paths/stage.h"
#include "paths/views/view.h"
#include "scopes/reading/local_segments.h"
#include "scopes/tree/plan_names.h"
#include "scopes/tree/scope_tree.h"

namespace eventspace {

/// How the trace elements of a scope are read.
struct ReadMode {
  bool next{false};           ///< false: the newest event and the one in flight; true: the unread ones
  std::uint32_t batch{1000};  ///< unread ones of one trace element in one pull, at most
  std::uint64_t most{0};      ///< of all together; 0: no bound but `batch`
};

/// The end of every branch of a scope: copies from the trace elements in this machine's segments. begin looks
/// for the segments, finish copies; so several of these stages that share LocalSegments may finish in as many
/// threads at once, when nobody begins meanwhile.
///
/// A first look at unread events goes back to all that the trace element keeps, or as far as Pull::look_back
/// says. When there are more of them than a pull may have, the trace elements have equal parts of it, and
/// what some leave goes to the others; the rest comes with the next pull.
///
/// A source that has a position in `resume` was read before, by another stage: in the run of the process that
/// the position names the first look begins behind it, and what went in between is this scope's loss. If that
/// run's segment is gone, reading begins with the oldest that was made after it, all of which is unread, once
/// there is one.
///
/// Records go ahead (Pull::ahead) while others are still to be read.
///
/// Newest events are those of a process's newest generation. Reads of unread events are transactions, see
/// Pull, and follow a process from one generation to the next:
/// 1. The first pull takes up the newest generation: the ones before it are nobody's unread events here.
/// 2. A pull reads one generation of a process, and reports that one's process.
/// 3. The next generation is taken up once the process of this one is gone and everything in it is read and
///    known to have arrived: nothing is lost between the two, and no pull goes back to an older one.
/// 4. What can no longer be read of older generations, as more than `generations_kept` followed or a file was
///    truncated, is named in View::missing until a view that says so has arrived.
class ReadStage final : public Stage {
 public:
  ReadStage(const std::vector<SourceRef>& sources, ReadMode mode, LocalSegments& segments,
            const PlanNames& names, const std::vector<ReadPosition>& resume = {});

  void begin(Operation& operation) override;
  bool ready(Operation& /*operation*/) override { return true; }
  void finish(Operation& operation) override;

 private:
  struct Position {
    std::uint64_t sequence{0};
    bool looked{false};  ///< at the process before: what was lost before that is not this scope's loss
  };
  struct Source {
    std::uint32_t trace{0};
    const SegmentView::Trace* found{nullptr};  ///< in the segment of the generation that is read
    Position committed;                        ///< where the last view that arrived ended
    Position sent;                             ///< where the last view ended
    std::uint64_t share{0};                    ///< how much of this pull it may have
  };
  /// Of which generation a view told the positions; none before the first.
  using Told = std::optional<std::int64_t>;
  struct Process {
    std::uint32_t number{0};
    std::shared_ptr<const Generation> reading;  ///< between pulls only of unread events
    std::int64_t bound{0};                      ///< the generation that the sources were found in
    bool past{false};      ///< it was made before a run that was read by another stage: of no use
    bool followed{false};  ///< all from the one that who asks knows were read to their ends, or this is it
    std::vector<Source> sources;
    std::vector<TraceReader> newest;   ///< of the sources that were found, close together
    std::vector<std::size_t> threads;  ///< indices in the segment of the threads that the sources belong to
    std::uint64_t given_up{0};         ///< generations with unread events, not yet known to have been named
    std::uint64_t named{0};            ///< of these, in the last view
    std::vector<ReadPosition> resume;  ///< until a generation is taken up
    Told told;                         ///< by the last view that arrived
    Told telling;                      ///< by the last view
    std::string refusal;               ///< why a file that should be of a newer generation was refused
  };

  void settle(const Pull& pull);
  void find(Process& process);
  void read(Process& process, bool readable, Pull& pull);
  void follow(Process& process);
  static bool is_readable(const Process& process);
  bool is_read_out(const Process& process) const;
  bool runs_beside_newer(const Generation& older) const;
  void begin_reading(Process& process, std::shared_ptr<const Generation> newest);
  static void take_up(Process& process, std::shared_ptr<const Generation> generation, bool followed);
  static void bind(Process& process, const SegmentView& segment);
  static void resume(Process& process, const SegmentView& segment);
  void name_unread(const Process& process, bool readable, const std::string& refusal, View& view) const;
  void miss(const Process& process, MissingCause cause, std::string detail, std::size_t sources,
            View& view) const;
  void read_segment(Process& process, Pull& pull) const;
  static void read_newest(const Process& process, Pull& pull);
  static void read_next(Process& process, Pull& pull);
  static void read_next(Source& source, View& view);
  void begin_sources(Process& process, Pull& pull) const;
  static void begin_source(Source& source, std::uint64_t ticks, View& view);
  void share_out(const std::vector<Process*>& readable);
  static void tell_positions(Process& process, View& view);
  ProcessReport report(const Process& process, const SegmentView& segment, bool with_threads) const;

  ReadMode mode_;
  LocalSegments* segments_;
  const PlanNames* names_;
  std::vector<Process> processes_;
  std::uint64_t sent_pull_{0};
};

}  // namespace eventspace
