#include <pybind11/pybind11.h>

#include "python/module/application.h"
#include "python/module/errors.h"
#include "python/module/joined.h"
#include "python/module/observed.h"
#include "python/module/probes.h"
#include "python/module/streams.h"
#include "python/module/waits.h"

// The part of the Python package `eventspace` that is written in C++; eventspace/__init__.py is what users
// see.
PYBIND11_MODULE(_eventspace, module) {
  namespace python = eventspace::python;
  module.doc() = "The part of the package eventspace that is written in C++.";
  (void)python::handles_signals();  // finds the main thread
  python::add_errors(module);
  python::add_observed(module);
  python::add_application(module);
  python::add_probes(module);
  python::add_streams(module);
  // Threads of the library and sessions end before the interpreter does.
  pybind11::module_::import("atexit").attr("register")(pybind11::cpp_function([] {
    python::end_waits();
    python::leave_session_of_environment();
  }));
}
