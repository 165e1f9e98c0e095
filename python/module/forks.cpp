#include "python/module/forks.h"

#include "python/module/errors.h"

namespace eventspace::python {

void refuse_in_child() {
  throw UsageError(
      "this object belongs to the process that forked this one, and cannot be used here; open or join again "
      "in "
      "the child, or start it with multiprocessing.set_start_method('spawn')");
}

}  // namespace eventspace::python
