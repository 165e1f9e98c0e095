#include "apps/windtunnel/exchange/failure.h"

#include <fmt/format.h>

#include <new>
#include <stdexcept>
#include <system_error>

namespace eventspace::windtunnel {
namespace {

bool is_peer_gone(Status status) { return status == Status::closed || status == Status::timed_out; }

std::string describe(std::string_view thread, std::string_view path, Status status, std::string_view reason) {
  if (reason.empty() && is_peer_gone(status)) reason = "the process at its other end has ended";
  const std::string_view separator = reason.empty() ? "" : ": ";
  return fmt::format("thread {}, path {}: {}{}{}", thread, path, to_string(status), separator, reason);
}

}  // namespace

OperationError::OperationError(std::string_view thread, std::string_view path, Status status,
                               std::string_view reason)
    : Error(describe(thread, path, status, reason)),
      exit_status_(is_peer_gone(status) ? kUnreachable : kWrong) {}

Failure failure_of_current_exception() noexcept {
  try {
    throw;
  } catch (const OperationError& error) {
    return {error.exit_status(), error.what()};
  } catch (const EnvironmentError& error) {
    return {kUnreachable, error.what()};
  } catch (const ConfigurationError& error) {
    return {kUsage, error.what()};
  } catch (const std::invalid_argument& error) {
    return {kUsage, error.what()};
  } catch (const std::system_error& error) {
    return {kUnreachable, error.what()};
  } catch (const std::bad_alloc&) {
    return {kUnreachable, "out of memory"};
  } catch (const std::exception& error) {
    return {kWrong, error.what()};
  }
}

}  // namespace eventspace::windtunnel
