#pragma once

// Private to paths/.

#include <memory>
#include <string>

#include "paths/links/network.h"
#include "paths/stage.h"
#include "tuplespace/shared/shared_space.h"

namespace eventspace {

/// The end of a path: does the operation on a shared element, whichever process of this node hosts it. The
/// element is opened at the first operation. When its process has ended, or was killed, the operation that
/// notices ends as Status::closed; later ones look for the element of that process started anew, or end so
/// too (WhenLost).
///
/// An operation that finds no such process waits for it, and ends as Status::timed_out, with the reason, when
/// it has not come in time; as Status::refused when what it finds is of another pathmap. Until then nothing
/// tells a waker that the process has come: who polls must ask again.
class SharedElementStage final : public Stage {
 public:
  /// Element `element` of process `process` of the plan. The space must outlive it.
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
  std::shared_ptr<ElementFileView> file_;  // keeps the element
  SharedElement* element_{nullptr};        // null: not open
};

}  // namespace eventspace
