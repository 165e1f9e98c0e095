#pragma once

#include <array>
#include <optional>
#include <string_view>

#include "scopes/expressions/expression.h"
#include "tests/scopes/scope_talk.h"

namespace eventspace::test {

inline constexpr std::array condition{ValueType::boolean};
inline constexpr std::array any_type{ValueType::boolean, ValueType::number, ValueType::duration,
                                     ValueType::text};

/// An event that took 2us and began 4us ago: thread t3 took a tuple through path12. Process p1, whose clock
/// ticks every 10ns, recorded it.
struct TakenTuple {
  TakenTuple() {
    process.process = 1;
    process.now_ticks = 500;
    process.clock.ns_per_tick = 10.0;
    record.sequence = 7;
    record.start = 100;
    record.end = 300;
    record.thread = 3;
    record.path = 12;
    record.peer = 4;
    record.verb = Verb::take;
    record.from = From::after;
    record.status = Status::ok;
    record.bytes = 4096;
    record.missed = 2;
    record.parameter = 9;
    record.virtual_time = 5;
  }
  TakenTuple(const TakenTuple&) = delete;
  TakenTuple& operator=(const TakenTuple&) = delete;

  void begin_only() { record.end = 0; }

  [[nodiscard]] bool holds(std::string_view text) const {
    return Expression(text, any_type, names).holds(event());
  }
  [[nodiscard]] std::optional<double> number(std::string_view text) const {
    return Expression(text, any_type, names).number(event());
  }

  [[nodiscard]] ObservedEvent event() const { return {encode(record), is_reported ? &process : nullptr}; }

  PlainNames names;
  ProcessReport process;
  bool is_reported{true};
  EventRecord record;
};

}  // namespace eventspace::test
