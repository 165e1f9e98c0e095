#pragma once

#include <pybind11/pybind11.h>

#include <eventspace/tuple.h>

namespace eventspace::python {

/// A tuple of bool, int, float, str and bytes-like values. Throws TypeError, which names the place and the
/// type, for another value, and OverflowError for an int that does not fit into 64 bits.
Tuple as_tuple(pybind11::handle values);

/// The values of a tuple of an element.
pybind11::tuple as_values(const Tuple& tuple);

/// A template: for each field a value, or one of the types bool, int, float, str and bytes for any value of
/// it.
Template as_template(pybind11::handle entries);

}  // namespace eventspace::python
