#pragma once

#include <pybind11/pybind11.h>

namespace eventspace::python {

/// Adds the classes of an application: Session, Thread and Path.
void add_application(pybind11::module_& module);

}  // namespace eventspace::python
