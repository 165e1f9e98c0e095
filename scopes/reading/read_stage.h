#pragma once

// Private to scopes/.

#include <cstdint>
#include <vector>

#include "paths/stage.h"
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
  std::uint64_t most{0};      ///< the most unread events in one pull; 0: no bound but `batch`
  bool probes{false};         ///< see ScopeTree::probes
};

/// The last stage of every branch of a scope: copies events from the trace elements in this machine's
/// segments. begin finds the segments, and finish copies. Several of these stages may share LocalSegments and
/// finish in several threads at once, as long as none of them begins at the same time.
///
/// FollowedProcess decides which run of a process is read, ProcessSources finds the trace elements in that
/// run's segment, TraceCursor keeps how far each of them was read, and ReadTransaction says whether the last
/// view arrived.
///
/// The first look at unread events begins with the oldest kept event, or as late as Pull::look_back says. If
/// there are more unread events than one pull may have, fair_shares divides the pull among the trace
/// elements; the rest comes with the next pull.
///
/// Sources with a position in `resume` were read by another stage before; see FollowedProcess.
///
/// The stage offers records to Pull::ahead while others are still to be read.
class ReadStage final : public Stage {
 public:
  ReadStage(const std::vector<SourceRef>& sources, ReadMode mode, LocalSegments& segments,
            const PlanNames& names, const std::vector<ReadPosition>& resume = {});

  void begin(Operation& operation) override;
  bool ready(Operation& /*operation*/) override { return true; }
  void finish(Operation& operation) override;

 private:
  FollowedProcess* find_process(std::uint32_t number);
  void read(Pull& pull);
  void make_room(const std::vector<FollowedProcess*>& readable, Pull& pull) const;
  void look_back(FollowedProcess& process, Pull& pull) const;
  void share_out(const std::vector<FollowedProcess*>& readable) const;
  void read(FollowedProcess& process, Pull& pull) const;

  ReadMode mode_;
  LocalSegments* segments_;
  std::vector<FollowedProcess> processes_;
  ReadTransaction transaction_;
};

}  // namespace eventspace
