#pragma once

#include "python/module/errors.h"
#include "tuplespace/processes/of_this_process.h"

namespace eventspace::python {

/// An object for Python that only the process that made it may use.
template <class Object>
class OfThisProcess : public eventspace::OfThisProcess<Object> {
 public:
  using eventspace::OfThisProcess<Object>::OfThisProcess;
  /// Throws UsageError in a forked child.
  [[nodiscard]] Object& use() const {
    if (Object* const here = this->get()) return *here;
    throw UsageError(
        "this object belongs to the process that forked this one, and cannot be used here; open or join "
        "again "
        "in the child, or start it with multiprocessing.set_start_method('spawn')");
  }
};

}  // namespace eventspace::python
