#pragma once

#include <algorithm>
#include <chrono>
#include <vector>

#include "scopes/gathering/ready_list.h"
#include "scopes/gathering/round.h"

namespace eventspace {

/// Pulls from the branches of a subscription (ScopeTree::look). A pull takes the available results, and waits
/// for servers only as described below. A branch on a server is asked once, and stays asked over as many
/// pulls as needed, until its server has news or its time is up; the pull that finds its answer returns it.
/// The other branches are read in each pull.
///
/// The round waits only for servers that have just been asked, for a moment: a server that has news answers
/// at once. If its answer waited for the next pull, and the next request for the pull after that, servers
/// with two levels would send only every second interval. Not thread-safe.
class SubscriptionRound final : public Round {
 public:
  /// How long a server has for an answer. It answers after this time even without news, so that a stopped
  /// server is noticed.
  static constexpr std::chrono::seconds patience{5};
  /// The maximum wait for a server that was just asked; also at most half an interval.
  static constexpr std::chrono::milliseconds moment{20};

  /// `branches` and `list` must outlive this object. `interval`: of the scope (ScopeTree::look).
  SubscriptionRound(Branches& branches, ReadyList& list, std::chrono::nanoseconds interval)
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
  Deadline answered_by_{Deadline::now()};  // until then, the round waits for them
  std::vector<ReadyList::Entry*> taken_;
};

}  // namespace eventspace
