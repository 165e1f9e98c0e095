#pragma once

#include <pybind11/pybind11.h>

namespace eventspace::python {

/// Adds the ends of networks of streams: FrontEnd and BackEnd, which eventspace/streams.py makes public.
void add_streams(pybind11::module_& module);

}  // namespace eventspace::python
