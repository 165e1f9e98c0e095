#pragma once

#include <array>
#include <cstdint>
#include <string>

#include "scopes/expressions/expression.h"

namespace eventspace {

/// The action of a conditional request on the events for which its condition holds
/// (grid-distributed-evaluation, sections 5.2.1 and 6.7). Plain data.
struct RequestAction {
  enum class Kind : std::uint8_t {
    count,      ///< the number of events
    integrate,  ///< the sum of a quantity over them
    print,      ///< a line for each event
    collect,    ///< switches the recording of processes
    stop,       ///< stops the process of the event, if it runs on the machine that evaluates the request
    go_on,      ///< continues that process
    run         ///< a command of the shell
  };
  Kind kind{Kind::count};
  std::string argument{};   ///< the quantity, the setting (on, off, 1/N), or the command
  std::string processes{};  ///< for collect: a glob over process names; empty means the process of the event
  std::string text{};       ///< as the user wrote it
  bool is_time{false};      ///< for integrate: the quantity is a duration, in nanoseconds
};
/// The types of an expression that can be integrated.
inline constexpr std::array request_quantity{ValueType::number, ValueType::duration};

/// Parses "count", "integrate EXPRESSION", "print", "collect SETTING [PROCESSES]", "stop", "continue" or "run
/// COMMAND". Pure. Throws ConfigurationError with the text that was found and the allowed ones.
RequestAction request_action(const std::string& text);

/// Whether an action of this kind changes what processes do: stops, continues or switches them. Pure.
bool is_steering(RequestAction::Kind kind) noexcept;

}  // namespace eventspace
