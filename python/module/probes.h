#pragma once

#include <pybind11/pybind11.h>

namespace eventspace::python {

/// Adds `point` and `region`, which record probes. They use the interface of C without pybind11, since a call
/// costs tens of nanoseconds.
void add_probes(pybind11::module_& module);

}  // namespace eventspace::python
