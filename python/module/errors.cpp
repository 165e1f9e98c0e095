#include "python/module/errors.h"

#include <exception>

namespace eventspace::python {
namespace {

namespace py = pybind11;

// The classes are in errors.py, so that they have documentation and two bases each. The module keeps them for
// as long as the interpreter runs.
PyObject* class_named(const char* name) {
  const py::object errors = py::module_::import("eventspace.errors");
  return errors.attr(name).cast<py::object>().release().ptr();
}

const char* class_of(Status status) {
  switch (status) {
    case Status::timed_out:
      return "TimedOut";
    case Status::gone:
      return "Gone";
    case Status::closed:
      return "Closed";
    case Status::empty:
    case Status::full:
    case Status::ok:
    case Status::under_way:
    case Status::refused:
      break;
  }
  return "Refused";
}

void raise(const char* name, const char* text) {
  const py::object type = py::reinterpret_steal<py::object>(class_named(name));
  PyErr_SetString(type.ptr(), text);
}

}  // namespace

void add_errors(py::module_& /*module*/) {
  // NOLINTNEXTLINE(performance-unnecessary-value-param): the type that pybind11 takes
  py::register_exception_translator([](std::exception_ptr thrown) {
    try {
      if (thrown) std::rethrow_exception(thrown);
    } catch (const OperationError& error) {
      raise(class_of(error.status()), error.what());
    } catch (const UsageError& error) {
      raise("UsageError", error.what());
    } catch (const ConfigurationError& error) {
      raise("ConfigurationError", error.what());
    } catch (const EnvironmentError& error) {
      raise("EnvironmentError", error.what());
    } catch (const Error& error) {
      raise("Error", error.what());
    }
  });
}

}  // namespace eventspace::python
