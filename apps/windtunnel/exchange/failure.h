// Why a run cannot go on, and the exit status that says so.
#pragma once

#include <string>
#include <string_view>

#include "tuplespace/operation.h"
#include "tuplespace/system/error.h"

namespace eventspace::windtunnel {

enum ExitStatus : int { kFine = 0, kWrong = 1, kUsage = 2, kUnreachable = 3 };

struct Failure {
  ExitStatus status = kWrong;
  std::string what;
};

// To be called while an exception is handled.
Failure failure_of_current_exception() noexcept;

// An operation that ended as it should not have.
class OperationError : public Error {
 public:
  OperationError(std::string_view thread, std::string_view path, Status status, std::string_view reason);

  // A peer that has ended is not a wrong result.
  ExitStatus exit_status() const { return exit_status_; }

 private:
  ExitStatus exit_status_;
};

}  // namespace eventspace::windtunnel
