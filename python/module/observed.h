#pragma once

#include <pybind11/pybind11.h>

namespace eventspace::python {

/// Adds what reads events and metrics: the class Source, which eventspace/_observed.py wraps.
void add_observed(pybind11::module_& module);

}  // namespace eventspace::python
