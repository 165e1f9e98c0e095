#pragma once

#include "tuplespace/processes/of_this_process.h"

namespace eventspace::python {

/// Throws UsageError: an object belongs to the parent process.
[[noreturn]] void refuse_in_child();

/// An object for Python that only the process that made it may use.
template <class Object>
class OfThisProcess : public eventspace::OfThisProcess<Object> {
 public:
  using eventspace::OfThisProcess<Object>::OfThisProcess;
  /// Throws UsageError in a forked child.
  [[nodiscard]] Object& use() const {
    if (this->is_foreign()) refuse_in_child();
    return *this->get();
  }
};

}  // namespace eventspace::python
