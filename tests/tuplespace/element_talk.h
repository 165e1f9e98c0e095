#pragma once

#include <sstream>
#include <string>

#include "tuplespace/element.h"

namespace eventspace::test {

inline Operation write_of(Tuple tuple, Deadline deadline = Deadline::now()) {
  Operation operation;
  operation.verb = Verb::write;
  operation.tuple = std::move(tuple);
  operation.deadline = deadline;
  return operation;
}

inline Operation fetch_of(Verb verb, From from = From::oldest, std::uint64_t sequence = 0,
                          Deadline deadline = Deadline::now()) {
  Operation operation;
  operation.verb = verb;
  operation.from = from;
  operation.sequence = sequence;
  operation.deadline = deadline;
  return operation;
}

inline Operation discard_through(std::uint64_t sequence) {
  return fetch_of(Verb::discard, From::oldest, sequence);
}

inline Tuple one(std::int64_t value) { return Tuple::of({value}); }

/// Returns how an operation ended, in a few words: "#3", "#3 = 30", "#3 = 30, missed 2", "empty", ...
inline std::string summary(const Operation& operation) {
  std::ostringstream text;
  if (operation.status != Status::ok) return std::string(to_string(operation.status));
  text << "#" << operation.sequence;
  if (operation.verb == Verb::read || operation.verb == Verb::take)
    text << " = " << operation.tuple.get<std::int64_t>(0);
  if (operation.missed > 0) text << ", missed " << operation.missed;
  return text.str();
}

/// `Any` is Element, SharedElement or AnyElement.
template <class Any>
Operation performed(Any& element, Operation operation) {
  element.perform(operation);
  return operation;
}
template <class Any>
std::string perform(Any& element, Operation operation) {
  return summary(performed(element, std::move(operation)));
}

}  // namespace eventspace::test
