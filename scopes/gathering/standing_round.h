#pragma once

// Private to scopes/.

#include <chrono>
#include <vector>

#include "scopes/gathering/ready_list.h"
#include "scopes/gathering/round.h"

namespace eventspace {

/// Asks the branches of a standing scope (ScopeTree::look): a pull takes what there is, and waits for no
/// server. A branch on a server is asked once, and stays asked over as many pulls as it takes, until its
/// server has news or its time is up; the pull that finds its answer has it. The other branches are read in
/// each pull. Not thread-safe.
class StandingRound final : public Round {
 public:
  /// How long a server has for an answer. It answers after this time without news, too, so that a server that
  /// is stopped is noticed.
  static constexpr std::chrono::seconds patience{5};

  /// `branches` and `list` must outlive this object.
  StandingRound(Branches& branches, ReadyList& list) : branches_(&branches), list_(&list) {}

  void begin(Operation& operation) override;
  bool ready(Operation& operation) override;
  void finish(Operation& operation) override;

 private:
  Branches* branches_;
  ReadyList* list_;
  std::vector<Branch*> open_;  // not on servers, and not known to be ready
  std::vector<ReadyList::Entry*> taken_;
};

}  // namespace eventspace
