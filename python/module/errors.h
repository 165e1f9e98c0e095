#pragma once

#include <pybind11/pybind11.h>

#include <eventspace/error.h>
#include <eventspace/operation.h>

namespace eventspace::python {

/// The caller broke a rule of the interface: used an object in the wrong thread or in a forked child.
class UsageError : public Error {
 public:
  using Error::Error;
};

/// An operation on a path did not end with Status::ok; or an object was closed before.
class OperationError : public Error {
 public:
  OperationError(Status status, const std::string& text) : Error(text), status_(status) {}
  [[nodiscard]] Status status() const noexcept { return status_; }

 private:
  Status status_;
};

/// Translates the exceptions of the library into the classes of eventspace/errors.py.
void add_errors(pybind11::module_& module);

}  // namespace eventspace::python
