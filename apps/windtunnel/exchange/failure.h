// The reason why a run cannot continue, and the corresponding exit status.
#pragma once

#include <string>
#include <string_view>

#include <eventspace/error.h>
#include <eventspace/operation.h>

namespace eventspace::windtunnel {

enum ExitStatus : int { kFine = 0, kWrong = 1, kUsage = 2, kUnreachable = 3 };

struct Failure {
  ExitStatus status = kWrong;
  std::string what;
};

// Call in a catch block.
Failure failure_of_current_exception() noexcept;

// Thrown for an operation that did not succeed.
class OperationError : public Error {
 public:
  OperationError(std::string_view thread, std::string_view path, Status status, std::string_view reason);

  // kUnreachable if the peer has ended, kWrong otherwise.
  ExitStatus exit_status() const { return exit_status_; }

 private:
  ExitStatus exit_status_;
};

}  // namespace eventspace::windtunnel
