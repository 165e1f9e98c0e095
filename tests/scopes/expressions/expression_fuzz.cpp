// Parses any bytes as an expression, and evaluates it if it is valid. Link with a fuzzer's main
// (clang++ -fsanitize=fuzzer) to run it for long.

#include <cstdlib>
#include <string>

#include "tests/scopes/expressions/expression_talk.h"

using eventspace::Expression;
using eventspace::ValueType;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const eventspace::test::TakenTuple taken;
  if (const auto fault = Expression::fault(text, eventspace::test::any_type)) {
    const auto column = "column " + std::to_string(fault->offset + 1) + ": ";
    if (fault->offset > size || !fault->text.starts_with(column)) std::abort();
    return 1;
  }
  const Expression expression(text, eventspace::test::any_type, taken.names);
  if (expression.type() == ValueType::boolean) (void)expression.holds(taken.event());
  if (expression.type() == ValueType::number || expression.type() == ValueType::duration)
    (void)expression.number(taken.event());
  return 0;
}
