#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <iostream>
#include <random>

#include "tests/scopes/expressions/expression_talk.h"

// Random syntax trees are written out with few more parentheses than necessary, and the values of the texts
// are compared with the values of the trees. Texts that differ slightly from valid ones are either compiled
// or refused.

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);

namespace eventspace {
namespace {

/// An expression, and its expected value for the event of TakenTuple.
struct Model {
  std::string text;
  int binds{9};  ///< how tight its outermost operator: or 1, and 2, not 3, comparisons 4, sums 5, products 6
  bool truth{false};
  std::optional<double> value;  ///< of numbers and durations
};

std::optional<double> finite(double value) {
  if (!std::isfinite(value)) return std::nullopt;
  return value;
}

class Grower {
 public:
  explicit Grower(unsigned seed) : random_(seed) {}

  Model truth(int depth) {
    if (depth == 0)
      return one_of<Model>({{"true", 9, true, {}},
                            {"in_flight", 9, false, {}},
                            {"verb == 'take'", 4, true, {}},
                            {"thread != 't3'", 4, false, {}},
                            {"path matches 'p*'", 4, true, {}}});
    switch (below(4)) {
      case 0:
        return joined("or", 1, truth(depth - 1), truth(depth - 1));
      case 1:
        return joined("and", 2, truth(depth - 1), truth(depth - 1));
      case 2:
        return negated(truth(depth - 1));
      default:
        return below(2) == 0 ? compared(number(depth - 1), number(depth - 1))
                             : compared(duration(depth - 1), duration(depth - 1));
    }
  }

  Model number(int depth) {
    if (depth == 0)
      return one_of<Model>({{"bytes", 9, false, 4096.0},
                            {"missed", 9, false, 2.0},
                            {"0", 9, false, 0.0},
                            {"1.5", 9, false, 1.5},
                            {"2KiB", 9, false, 2048.0},
                            {"virtual_time", 9, false, 5.0}});
    if (below(6) == 0) return calculated("/", duration(depth - 1), duration(depth - 1));
    if (below(6) == 0) return opposite(number(depth - 1));
    return calculated(one_of<std::string>({"+", "-", "*", "/", "%"}), number(depth - 1), number(depth - 1));
  }

  Model duration(int depth) {
    if (depth == 0)
      return one_of<Model>({{"duration", 9, false, 2000.0},
                            {"age", 9, false, 4000.0},
                            {"1.5us", 9, false, 1500.0},
                            {"0s", 9, false, 0.0}});
    switch (below(4)) {
      case 0:
        return calculated("*", number(depth - 1), duration(depth - 1));
      case 1:
        return calculated(one_of<std::string>({"*", "/"}), duration(depth - 1), number(depth - 1));
      case 2:
        return opposite(duration(depth - 1));
      default:
        return calculated(one_of<std::string>({"+", "-", "%"}), duration(depth - 1), duration(depth - 1));
    }
  }

  std::size_t below(std::size_t limit) { return random_() % limit; }

  template <class T>
  T one_of(std::vector<T> choices) {
    return choices[below(choices.size())];
  }

 private:
  /// With parentheses where they are needed, and sometimes elsewhere.
  std::string within(const Model& part, int least) {
    return part.binds < least || below(8) == 0 ? "(" + part.text + ")" : part.text;
  }

  Model joined(const std::string& op, int binds, const Model& left, const Model& right) {
    const bool truth = op == "or" ? left.truth || right.truth : left.truth && right.truth;
    return {within(left, binds) + " " + op + " " + within(right, binds + 1), binds, truth, {}};
  }

  Model negated(const Model& part) { return {"not " + within(part, 3), 3, !part.truth, {}}; }

  Model opposite(const Model& part) {
    Model model{"-" + within(part, 7), 7, false, {}};
    if (part.value) model.value = -*part.value;
    return model;
  }

  Model calculated(const std::string& op, const Model& left, const Model& right) {
    const int binds = op == "+" || op == "-" ? 5 : 6;
    Model model{within(left, binds) + op + within(right, binds + 1), binds, false, {}};
    if (!left.value || !right.value) return model;
    const double a = *left.value;
    const double b = *right.value;
    if (op == "+") model.value = finite(a + b);
    if (op == "-") model.value = finite(a - b);
    if (op == "*") model.value = finite(a * b);
    if (op == "/") model.value = finite(a / b);
    if (op == "%") model.value = finite(std::fmod(a, b));
    return model;
  }

  Model compared(const Model& left, const Model& right) {
    const auto op = one_of<std::string>({"==", "!=", "<", "<=", ">", ">="});
    Model model{within(left, 5) + op + within(right, 5), 4, false, {}};
    if (!left.value || !right.value) return model;
    const bool less = *left.value < *right.value;
    const bool greater = *left.value > *right.value;
    if (less) model.truth = op == "!=" || op == "<" || op == "<=";
    if (greater) model.truth = op == "!=" || op == ">" || op == ">=";
    if (!less && !greater) model.truth = op == "==" || op == "<=" || op == ">=";
    return model;
  }

  std::mt19937 random_;
};

class ExpressionPropertyTest : public testing::Test, protected test::TakenTuple {
 protected:
  ExpressionPropertyTest() { std::cout << "seed " << seed << '\n'; }

  const unsigned seed = std::random_device{}();
  Grower grower{seed};
};

TEST_F(ExpressionPropertyTest, YieldsTheValueOfItsTree) {
  int compared = 0;
  while (compared < 5000) {
    const int depth = static_cast<int>(grower.below(5));
    const Model truth = grower.truth(depth);
    const Model number = grower.number(depth);
    const Model duration = grower.duration(depth);
    if (std::max({truth.text.size(), number.text.size(), duration.text.size()}) > Expression::longest)
      continue;
    EXPECT_EQ(holds(truth.text), truth.truth) << truth.text;
    EXPECT_EQ(this->number(number.text), number.value) << number.text;
    EXPECT_EQ(this->number(duration.text), duration.value) << duration.text;
    if (HasFailure()) return;
    ++compared;
  }
}

TEST_F(ExpressionPropertyTest, TextsNearGoodOnesAreReadOrRefusedWithAColumn) {
  const std::vector<std::string> pieces{"(",   ")",       "'", "\"",   " ",    "==",   "<",    "and",
                                        "not", "matches", "-", "*",    "20ms", "4KiB", "verb", "'take'",
                                        "age", ".",       "1", "\xff", "\n",   "="};
  int refused = 0;
  for (int i = 0; i < 20'000; ++i) {
    std::string text = grower.truth(static_cast<int>(grower.below(4))).text;
    for (std::size_t change = 1 + grower.below(3); change > 0; --change) {
      const auto at = grower.below(text.size() + 1);
      text.replace(at, grower.below(4), grower.one_of(pieces));
    }
    refused += LLVMFuzzerTestOneInput(reinterpret_cast<const std::uint8_t*>(text.data()), text.size());
  }
  EXPECT_GT(refused, 1000);
}

}  // namespace
}  // namespace eventspace
