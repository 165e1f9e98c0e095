#pragma once

#include <cstdlib>
#include <optional>
#include <string>

namespace eventspace::test {

/// Gives a variable of the environment another value while it lives, and then restores the earlier value. Not
/// thread-safe, like setenv(3).
class Variable {
 public:
  Variable(std::string name, const std::string& value) : name_(std::move(name)), before_(value_of(name_)) {
    ::setenv(name_.c_str(), value.c_str(), 1);
  }
  ~Variable() {
    if (before_)
      ::setenv(name_.c_str(), before_->c_str(), 1);
    else
      ::unsetenv(name_.c_str());
  }
  Variable(const Variable&) = delete;
  Variable& operator=(const Variable&) = delete;

  /// Nullopt means not set.
  static std::optional<std::string> value_of(const std::string& name) {
    const char* const value = std::getenv(name.c_str());
    return value == nullptr ? std::nullopt : std::optional<std::string>(value);
  }

 private:
  std::string name_;
  std::optional<std::string> before_;
};

}  // namespace eventspace::test
