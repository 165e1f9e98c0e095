#pragma once

#include <string>
#include <utility>

#include "paths/element_stage.h"
#include "paths/link.h"

namespace eventspace {

/// By which link a process is reached, and what to call it in messages: "process p1".
struct Lookout {
  Link* link;
  std::string peer;
};

/// An element of this process as its end of a path that another process's thread has the other end of: who
/// waits here for that thread would wait for ever once its process is gone, as nothing travels that could
/// fail. So a wait ends as Status::closed, with the reason, when the link to that process has ended
/// (WhenLost::end); what came before is taken first. A process that was never there is waited for.
///
/// Element and link must outlive it; belongs to the link's thread.
class LookoutStage final : public Stage {
 public:
  LookoutStage(Element& element, Lookout lookout) : element_(element), lookout_(std::move(lookout)) {}

  void begin(Operation& operation) override { element_.begin(operation); }
  bool ready(Operation& operation) override;
  void finish(Operation& operation) override;

 private:
  bool is_peer_lost();

  ElementStage element_;
  Lookout lookout_;
};

}  // namespace eventspace
