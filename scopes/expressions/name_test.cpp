#include "scopes/expressions/name_test.h"

#include "paths/parameters/glob.h"

namespace eventspace::expressions {

bool NameTest::holds(const ObservedEvent& event, const PlanNames& names) const {
  const auto number = field_.name_number(event);
  if (!number) return false;
  Known& known = known_[*number % known_.size()];
  if (!known.used || known.number != *number)
    known = {*number, true, compare_texts(op_, field_.name(event.header().kind, *number, names), wanted_)};
  return known.holds;
}

bool compare_texts(Operator op, std::string_view left, std::string_view right) {
  if (op == Operator::matches) return glob_match(right, left);
  return (left == right) == (op == Operator::equal);
}

}  // namespace eventspace::expressions
