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

/// How the trace elements of a scope are read.
struct ReadMode {
  bool next{false};           ///< false: the newest event and the one in flight; true: the unread ones
  std::uint32_t batch{1000};  ///< unread ones of one trace element in one pull, at most
  std::uint64_t most{0};      ///< of all together; 0: no bound but `batch`
};

/// The end of every branch of a scope: copies from the trace elements in this machine's segments. begin looks
/// for the segments, finish copies; so several of these stages that share LocalSegments may finish in as many
/// threads at once, as long as none of them begins meanwhile.
///
/// The stage puts together what others do: FollowedProcess knows which run of a process is read,
/// ProcessSources where that run's segment has the trace elements, TraceCursor how far each of them was read;
/// ReadTransaction tells whether the last view arrived.
///
/// A first look at unread events goes back to all that the trace element keeps, or as far as Pull::look_back
/// says. When there are more of them than a pull may have, the trace elements have equal parts of it, and
/// what some leave goes to the others; the rest comes with the next pull.
///
/// A source that has a position in `resume` was read before, by another stage; see FollowedProcess.
///
/// Records go ahead (Pull::ahead) while others are still to be read.
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
