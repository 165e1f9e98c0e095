#include "apps/windtunnel/program/stall.h"

#include <fmt/format.h>

#include <eventspace/error.h>
#include "tuplespace/parsing/number_in.h"

namespace eventspace::windtunnel {
namespace {

[[noreturn]] void refuse(std::string_view text) {
  throw ConfigurationError(
      fmt::format("--stall: found '{}'; expected THREAD@STEP, THREAD@STEP:spin, :wait or :sleep, such as "
                  "t17@100:wait",
                  text));
}

StallKind parse_kind(std::string_view word, std::string_view text) {
  if (word == "spin") return StallKind::spin;
  if (word == "wait") return StallKind::wait;
  if (word == "sleep") return StallKind::sleep;
  refuse(text);
}

std::uint64_t parse_step(std::string_view digits, std::string_view text) {
  const auto step = number_in<std::uint64_t>(digits);
  if (!step) refuse(text);
  return *step;
}

}  // namespace

StallOrder parse_stall(std::string_view text) {
  const auto at = text.find('@');
  if (at == 0 || at == std::string_view::npos) refuse(text);
  const auto when = text.substr(at + 1);
  const auto colon = when.find(':');
  StallOrder order{std::string(text.substr(0, at)), parse_step(when.substr(0, colon), text)};
  if (colon != std::string_view::npos) order.kind = parse_kind(when.substr(colon + 1), text);
  return order;
}

}  // namespace eventspace::windtunnel
