#pragma once

#include <eventspace/stage.h>
#include "tuplespace/element.h"

namespace eventspace {

/// The last stage of a path: performs operations on an element of this process, which must outlive it. Used
/// by one thread at a time, as every Stage; the element itself is thread-safe.
class ElementStage final : public Stage {
 public:
  explicit ElementStage(Element& element) noexcept : element_(&element) {}
  void begin(Operation& operation) override { operation.status = Status::under_way; }
  bool ready(Operation& operation) override;
  void finish(Operation& operation) override;
  void call(Operation& operation) override;

 private:
  Element* element_;
};

}  // namespace eventspace
