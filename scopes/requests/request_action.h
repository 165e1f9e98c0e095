#pragma once

// Private to scopes/.

#include <array>
#include <cstdint>
#include <string>

#include "scopes/expressions/expression.h"

namespace eventspace {

/// What a conditional request does with the events for which its condition holds
/// (grid-distributed-evaluation, sections 5.2.1 and 6.7). Plain data.
struct RequestAction {
  enum class Kind : std::uint8_t {
    count,      ///< how many events there were
    integrate,  ///< the sum of a quantity over them
    print,      ///< a line for each event
    collect,    ///< switches what processes record
    stop,       ///< the process of the event, if it runs on the machine that does it
    go_on,      ///< continues it
    run         ///< a command of the shell
  };
  Kind kind{Kind::count};
  std::string argument{};   ///< the quantity, the setting (on, off, 1/N), or the command
  std::string processes{};  ///< of collect: a glob over their names; empty: the process of the event
  std::string text{};       ///< as the user wrote it
  bool is_time{false};      ///< of integrate: the quantity is a duration, in nanoseconds
};
/// What an expression to be integrated may be.
inline constexpr std::array request_quantity{ValueType::number, ValueType::duration};

/// Reads "count", "integrate EXPRESSION", "print", "collect SETTING [PROCESSES]", "stop", "continue" or "run
/// COMMAND". Pure. Throws ConfigurationError, which says what was found and what is allowed.
RequestAction request_action(const std::string& text);

/// Whether an action of this kind changes what processes do: stops, continues or switches them. Pure.
bool is_steering(RequestAction::Kind kind) noexcept;

}  // namespace eventspace
