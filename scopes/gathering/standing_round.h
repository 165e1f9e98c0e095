#pragma once

// Private to scopes/.

#include <algorithm>
#include <chrono>
#include <vector>

#include "scopes/gathering/ready_list.h"
#include "scopes/gathering/round.h"

namespace eventspace {

/// Asks the branches of a standing scope (ScopeTree::look): a pull takes what there is, and waits for
/// servers only as said below. A branch on a server is asked once, and stays asked over as many pulls as it
/// takes, until its server has news or its time is up; the pull that finds its answer has it. The other
/// branches are read in each pull.
///
/// Only a server that has just been asked is waited for, for a moment: one that has news answers at once. If
/// its answer waited for the next pull, and the next question for the one behind that, servers with two
/// levels would send every second interval. Not thread-safe.
class StandingRound final : public Round {
 public:
  /// How long a server has for an answer. It answers after this time without news, too, so that a server that
  /// is stopped is noticed.
  static constexpr std::chrono::seconds patience{5};
  /// How long a server that was just asked is waited for, at most, and half an interval at most.
  static constexpr std::chrono::milliseconds moment{20};

  /// `branches` and `list` must outlive this object. `interval`: of the scope (ScopeTree::look).
  StandingRound(Branches& branches, ReadyList& list, std::chrono::nanoseconds interval)
      : branches_(&branches),
        list_(&list),
        moment_(std::min<std::chrono::nanoseconds>(moment, interval / 2)) {}

  void begin(Operation& operation) override;
  bool ready(Operation& operation) override;
  void finish(Operation& operation) override;

 private:
  Branches* branches_;
  ReadyList* list_;
  const std::chrono::nanoseconds moment_;
  std::vector<Branch*> open_;              // not on servers, and not known to be ready
  std::vector<Branch*> asked_;             // on servers, asked in this pull, and not known to be ready
  Deadline answered_by_{Deadline::now()};  // until then they are waited for
  std::vector<ReadyList::Entry*> taken_;
};

}  // namespace eventspace
