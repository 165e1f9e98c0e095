#include <eventspace/extend.h>

#include <fmt/format.h>

#include <eventspace/error.h>
#include "paths/parameters/nearest.h"

namespace eventspace::registry {

void refuse_duplicate(std::string_view kind, std::string_view name) {
  throw ConfigurationError(fmt::format("a {} named '{}' is registered already", kind, name));
}

std::string unknown_text(std::string_view noun, std::string_view name,
                         const std::vector<std::string_view>& known) {
  return fmt::format("unknown {} '{}'{}", noun, name, hint(name, known));
}

}  // namespace eventspace::registry
