#pragma once

#include <cstddef>
#include <string_view>

#include <pybind11/pybind11.h>

namespace eventspace::python {

/// The UTF-8 of a str, which keeps it. Throws error_already_set for one with a lone surrogate.
inline std::string_view utf8_of(pybind11::handle str) {
  Py_ssize_t size = 0;
  const char* const text = PyUnicode_AsUTF8AndSize(str.ptr(), &size);
  if (text == nullptr) throw pybind11::error_already_set();
  return {text, static_cast<std::size_t>(size)};
}

/// A str of a text that came from elsewhere: malformed UTF-8 is replaced.
inline pybind11::object as_str(std::string_view text) {
  return pybind11::reinterpret_steal<pybind11::object>(
      PyUnicode_DecodeUTF8(text.data(), static_cast<Py_ssize_t>(text.size()), "replace"));
}

}  // namespace eventspace::python
