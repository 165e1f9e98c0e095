#include <eventspace/error.h>

#include <fmt/format.h>

#include <system_error>

namespace eventspace {

EnvironmentError EnvironmentError::from_errno(const std::string& what, int error_number) {
  return EnvironmentError(
      fmt::format("{}: {} (errno {})", what, std::generic_category().message(error_number), error_number));
}

}  // namespace eventspace
