#include "monitors/web/http/secret.h"

#include <fmt/format.h>
#include <sys/random.h>

#include <cerrno>
#include <iterator>
#include <vector>

#include <eventspace/error.h>

namespace eventspace::web {

std::string random_hex(std::size_t bytes) {
  std::vector<unsigned char> random(bytes);
  // At most 256 bytes come at once, without interruption.
  if (::getrandom(random.data(), random.size(), 0) != static_cast<ssize_t>(bytes))
    throw EnvironmentError::from_errno("cannot get random bytes for a key", errno);
  std::string text;
  for (const unsigned char byte : random) fmt::format_to(std::back_inserter(text), "{:02x}", byte);
  return text;
}

bool equal_secrets(std::string_view a, std::string_view b) noexcept {
  if (a.size() != b.size()) return false;
  volatile unsigned char difference = 0;
  for (std::size_t i = 0; i < a.size(); ++i)
    difference = static_cast<unsigned char>(difference | (a[i] ^ b[i]));
  return difference == 0;
}

}  // namespace eventspace::web
