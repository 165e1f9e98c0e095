#pragma once

#include <stdexcept>
#include <string>

namespace eventspace {

/// Base of every failure of configuration or environment. The text says what was found, where, and what to
/// do. Expected outcomes (empty, full, timed out, peer gone) are values, never exceptions.
class Error : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// The user asked for something that cannot be: a wrong name, type, range or file content (exit status 2).
class ConfigurationError : public Error {
 public:
  using Error::Error;
};

/// The machine refused something that was rightly asked: no permission, no space, port taken, peer not
/// there (exit status 3).
class EnvironmentError : public Error {
 public:
  using Error::Error;

  /// "WHAT: TEXT OF ERRNO (errno N)"
  static EnvironmentError from_errno(const std::string& what, int error_number);
};

}  // namespace eventspace
