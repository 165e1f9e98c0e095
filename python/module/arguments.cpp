#include "python/module/arguments.h"

#include "python/module/texts.h"

namespace eventspace::python::arguments {
namespace {

namespace py = pybind11;

// The checks in Python are called only for what is not plainly right.
template <class... More>
py::object checked(const char* check, const char* argument, const py::object& value, More... more) {
  return py::module_::import("eventspace.arguments").attr(check)(argument, value, more...);
}

std::string string_of(const py::object& text) { return std::string(utf8_of(text)); }

}  // namespace

std::string name(const char* argument, const py::object& value) {
  return string_of(PyUnicode_Check(value.ptr()) ? value : checked("name", argument, value));
}

std::string text(const char* argument, const py::object& value) {
  return string_of(PyUnicode_Check(value.ptr()) ? value : checked("text", argument, value));
}

std::string file(const char* argument, const py::object& value) {
  return string_of(PyUnicode_Check(value.ptr()) ? value : checked("file", argument, value));
}

std::uint64_t count(const char* argument, const py::object& value, std::uint64_t most) {
  if (PyLong_CheckExact(value.ptr())) {
    const std::uint64_t number = PyLong_AsUnsignedLongLong(value.ptr());
    if (PyErr_Occurred() == nullptr && number <= most) return number;
    PyErr_Clear();
  }
  return checked("count", argument, value, most).cast<std::uint64_t>();
}

bool truth(const char* argument, const py::object& value) {
  return checked("truth", argument, value).cast<bool>();
}

std::optional<bool> truth_or_none(const char* argument, const py::object& value) {
  if (value.is_none()) return std::nullopt;
  return truth(argument, value);
}

}  // namespace eventspace::python::arguments
