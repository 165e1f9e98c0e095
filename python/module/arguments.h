#pragma once

#include <chrono>
#include <cmath>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>

#include <pybind11/pybind11.h>

#include <eventspace/deadline.h>

namespace eventspace::python {

/// Times in Python are seconds, as floats. Those that the clock cannot count are the longest that it can.
inline std::chrono::nanoseconds of_seconds(double seconds) noexcept {
  const double ns = seconds * 1e9;
  if (std::isnan(ns) || ns <= 0) return std::chrono::nanoseconds(0);
  constexpr auto most = std::numeric_limits<std::int64_t>::max();
  return std::chrono::nanoseconds(ns >= static_cast<double>(most) ? most : static_cast<std::int64_t>(ns));
}

/// 0 and less mean now.
inline Deadline after_seconds(double seconds) noexcept {
  return seconds > 0 ? Deadline::after(of_seconds(seconds)) : Deadline::now();
}

/// The deadline of an argument `timeout`: seconds, or None for no deadline. Throws TypeError. Needs the GIL.
inline Deadline deadline_of(const pybind11::object& timeout) {
  if (timeout.is_none()) return Deadline::never();
  const double seconds = PyFloat_AsDouble(timeout.ptr());
  if (seconds == -1.0 && PyErr_Occurred() != nullptr) {
    PyErr_Clear();
    PyErr_Format(PyExc_TypeError, "timeout: found %R; expected seconds", timeout.ptr());
    throw pybind11::error_already_set();
  }
  return after_seconds(seconds);
}

}  // namespace eventspace::python

/// Checks of arguments, whose texts and exceptions are those of eventspace/arguments.py: `name: found 3;
/// expected str`. All need the GIL and throw error_already_set.
namespace eventspace::python::arguments {

/// A str.
std::string name(const char* argument, const pybind11::object& value);
/// A str; None is the empty one.
std::string text(const char* argument, const pybind11::object& value);
/// The path of a file: str or os.PathLike.
std::string file(const char* argument, const pybind11::object& value);
/// A whole number from 0 to `most`.
std::uint64_t count(const char* argument, const pybind11::object& value,
                    std::uint64_t most = std::numeric_limits<std::uint64_t>::max());
bool truth(const char* argument, const pybind11::object& value);
/// None is std::nullopt.
std::optional<bool> truth_or_none(const char* argument, const pybind11::object& value);

}  // namespace eventspace::python::arguments
