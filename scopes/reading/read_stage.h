#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <vector>

#include <eventspace/stage.h>
#include "paths/views/view.h"
#include "scopes/reading/followed_process.h"
#include "scopes/reading/local_segments.h"
#include "scopes/reading/read_transaction.h"
#include "scopes/tree/plan_names.h"
#include "scopes/tree/scope_tree.h"

namespace eventspace {

/// Which events a scope reads from its trace elements.
struct ReadMode {
  bool next{false};           ///< false: the newest event and the one in flight; true: unread events
  std::uint32_t batch{1000};  ///< the most unread events of one trace element in one pull
  std::uint64_t most{0};      ///< the maximum number of unread events in one pull; 0: only limited by `batch`
  bool probes{false};         ///< see ScopeTree::probes
};

/// The last stage of every branch of a scope: copies events from the trace elements in this machine's
/// segments. begin finds the segments, and finish copies. Several of these stages may share LocalSegments and
/// finish in several threads at once, as long as none of them begins at the same time.
///
/// FollowedProcess decides which run of a process is read, ProcessSources finds the trace elements in that
/// run's segment, TraceCursor keeps how far each of them was read, and ReadTransaction determines whether the
/// last view arrived.
///
/// The first read of unread events begins with the oldest kept event, or later according to Pull::look_back.
/// If there are more unread events than one pull may have, fair_shares divides the pull among the trace
/// elements; the rest is read by the next pull.
///
/// Dynamic processes are followed from the pull on which they are found until their segment is removed; a
/// scope of unread events follows them until everything was read.
///
/// Sources with a position in `resume` were read by another stage before; see FollowedProcess.
///
/// The stage offers records to Pull::ahead while others are still to be read.
class ReadStage final : public Stage {
 public:
  struct Sources {
    std::vector<SourceRef> planned;
    ProcessRange dynamic{};  ///< see ScopeNode::dynamic
  };
  ReadStage(const Sources& sources, ReadMode mode, LocalSegments& segments, const PlanNames& names,
            const std::vector<ReadPosition>& resume = {});

  void begin(Operation& operation) override;
  bool ready(Operation& /*operation*/) override { return true; }
  void finish(Operation& operation) override;

 private:
  void follow_dynamic();
  void add_dynamic(const DynamicProcess& process);
  void update_dynamic(const DynamicProcesses& found);
  void drop_dynamic();
  void read(Pull& pull);
  void make_room(const std::vector<FollowedProcess*>& readable, Pull& pull) const;
  void look_back(FollowedProcess& process, Pull& pull) const;
  void share_out(const std::vector<FollowedProcess*>& readable) const;
  void read(FollowedProcess& process, Pull& pull) const;

  ReadMode mode_;
  LocalSegments* segments_;
  const PlanNames* names_;
  ProcessRange dynamic_;
  std::size_t planned_{0};  // how many of processes_, which come first, are of the plan
  std::vector<FollowedProcess> processes_;
  std::multimap<std::uint32_t, ReadPosition> resume_;  // of dynamic processes, by their number
  std::vector<std::uint32_t> over_;                    // dropped, and not yet reported by a view that arrived
  std::optional<std::uint64_t> seen_version_;          // of the list of dynamic processes
  std::uint64_t refused_{0};
  ReadTransaction transaction_;
};

}  // namespace eventspace
