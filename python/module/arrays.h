#pragma once

#include <pybind11/numpy.h>

#include "python/module/event_table.h"

namespace eventspace::python {

/// The columns of a table as numpy arrays, which own their memory, in a dict for eventspace.Events: `columns`
/// has for each field (values, missing or None, names or None); `size`, `loss` and `unread` tell of the
/// whole. Takes the memory of the table.
pybind11::dict as_arrays(EventTable& table);

pybind11::dict as_dict(const Loss& loss);

}  // namespace eventspace::python
