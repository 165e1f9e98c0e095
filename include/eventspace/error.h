#pragma once

#include <stdexcept>
#include <string>

namespace eventspace {

/// The base of all exceptions for failures of configuration or environment. The text has the found value, its
/// place, and the allowed values or advice. Expected outcomes (empty, full, timed out, peer gone) are values,
/// never exceptions.
class Error : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// The user asked for something invalid: a wrong name, type, range or file content. Programs exit with status
/// 2.
class ConfigurationError : public Error {
 public:
  using Error::Error;
};

/// The machine refused a valid request: no permission, no space, port in use, peer not reachable. Programs
/// exit with status 3.
class EnvironmentError : public Error {
 public:
  using Error::Error;

  /// Returns an error with the text "WHAT: TEXT OF ERRNO (errno N)".
  static EnvironmentError from_errno(const std::string& what, int error_number);
};

}  // namespace eventspace
