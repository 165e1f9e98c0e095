#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "paths/stage.h"
#include "scopes/local_segments.h"
#include "scopes/scope_tree.h"
#include "scopes/scope_wrappers.h"
#include "tuplespace/view.h"

namespace eventspace {

/// How the trace elements of a scope are read.
struct ReadMode {
  bool next{false};  ///< false: the newest event and the one in flight; true: the unread ones
  std::uint32_t batch{1000};
};

/// The end of every branch of a scope: copies from the trace elements in this machine's segments. Reads of
/// unread events are transactions, see Pull. A process that started anew is read from its beginning.
class ReadStage final : public Stage {
 public:
  ReadStage(const std::vector<SourceRef>& sources, ReadMode mode, LocalSegments& segments,
            const PlanNames& names);

  void begin(Operation& operation) override { operation.status = Status::under_way; }
  bool ready(Operation& /*operation*/) override { return true; }
  void finish(Operation& operation) override;

 private:
  struct Position {
    std::uint64_t sequence{0};
    bool looked{false};  ///< since this generation: what was lost before is not this scope's loss
  };
  struct Source {
    std::uint32_t trace{0};
    const SegmentView::Trace* found{nullptr};
    Position committed;  ///< where the last view that arrived ended
    Position sent;       ///< where the last view ended
  };
  struct Process {
    std::uint32_t number{0};
    std::uint64_t generation{0};
    std::vector<Source> sources;
    std::vector<std::size_t> threads;  ///< indices in the segment of the threads that the sources belong to
  };

  void settle(const Pull& pull);
  void read(Process& process, Pull& pull);
  void bind(Process& process, const SegmentView& view, std::uint64_t generation);
  void read_newest(const Source& source, View& view) const;
  void read_next(Source& source, View& view) const;
  ProcessReport report(const Process& process, const SegmentView& view, bool with_threads) const;

  ReadMode mode_;
  LocalSegments* segments_;
  const PlanNames* names_;
  std::vector<Process> processes_;
  std::uint64_t committed_pull_{0};
  std::uint64_t sent_pull_{0};
};

}  // namespace eventspace
