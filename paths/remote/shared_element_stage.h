#pragma once

#include <memory>
#include <string>

#include <eventspace/stage.h>
#include "paths/links/network.h"
#include "tuplespace/shared/shared_space.h"

namespace eventspace {

/// The last stage of a path to a shared element of any process on this node. The stage opens the element at
/// its first operation. When the hosting process has ended or was killed, the operation that notices it ends
/// with Status::closed; later operations search for the restarted process (WhenLost::reconnect) or end in the
/// same way (WhenLost::end).
///
/// An operation waits for a process that has not started yet. It ends with Status::timed_out and the reason
/// if the process does not start in time, and with Status::refused if its file belongs to another pathmap.
/// The start of a process does not call the waker: a caller that uses ready() must poll it now and then.
///
/// Used by one thread at a time, like every Stage.
class SharedElementStage final : public Stage {
 public:
  /// `process` and `element` are names in the plan. `space` must outlive the stage.
  SharedElementStage(SharedSpace& space, std::string process, std::string element,
                     WhenLost when_lost = WhenLost::reconnect)
      : space_(&space),
        process_(std::move(process)),
        element_name_(std::move(element)),
        when_lost_(when_lost) {}

  void begin(Operation& operation) override { operation.status = Status::under_way; }
  bool ready(Operation& operation) override;
  void finish(Operation& operation) override;
  void call(Operation& operation) override;

 private:
  bool open(Operation& operation);
  void settle(Operation& operation);

  SharedSpace* space_;
  std::string process_;
  std::string element_name_;
  WhenLost when_lost_;
  std::shared_ptr<ElementFileView> file_;  // owns the mapping with the element
  SharedElement* element_{nullptr};        // null if not open
};

}  // namespace eventspace
