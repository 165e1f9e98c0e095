#pragma once

#include <memory>

#include "paths/stage.h"
#include "tuplespace/element.h"

namespace eventspace {

/// The end of a path: does the operation on an element of this process. The element must outlive it.
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
