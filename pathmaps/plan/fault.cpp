#include <eventspace/pathmap.h>

#include <fmt/format.h>

#include "tuplespace/system/plain_text.h"

namespace eventspace {

std::string to_string(const Fault& fault) {
  if (fault.line == 0) return escaped(fmt::format("{}: error: {}", fault.file, fault.text));
  return escaped(fmt::format("{}:{}:{}: error: {}", fault.file, fault.line, fault.column, fault.text));
}

}  // namespace eventspace
