#include "scopes/expressions/machine_code.h"

#include <gmock/gmock.h>
#include <sys/mman.h>

#include <array>
#include <bit>
#include <cfenv>
#include <cmath>
#include <cstring>
#include <limits>
#include <optional>
#include <random>

#include "scopes/expressions/expression.h"
#include "tests/error_text.h"

#ifdef __x86_64__

// The tests run the code, in memory of this process.

namespace eventspace {
namespace {

using testing::HasSubstr;

constexpr std::array all_types{ValueType::boolean, ValueType::number, ValueType::duration};
constexpr std::array fields{MachineField{"a", ValueType::number, 0, MachineForm::whole},
                            MachineField{"b", ValueType::number, 1, MachineForm::whole},
                            MachineField{"low", ValueType::number, 1, MachineForm::half},
                            MachineField{"time", ValueType::duration, 2, MachineForm::whole},
                            MachineField{"x", ValueType::number, 0, MachineForm::real},
                            MachineField{"y", ValueType::number, 1, MachineForm::real},
                            MachineField{"f", ValueType::number, 16, MachineForm::short_real}};
constexpr std::int64_t lowest = std::numeric_limits<std::int64_t>::min();
constexpr std::int64_t highest = std::numeric_limits<std::int64_t>::max();

struct Result {
  std::int64_t value;
  std::uint64_t has_value;
};

/// A compiled expression in executable memory.
class Runnable {
 public:
  explicit Runnable(const std::string& text) : compiled_(compile_to_machine_code(text, all_types, fields)) {
    memory_ = ::mmap(nullptr, bytes, PROT_READ | PROT_WRITE | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (compiled_.code.size() > bytes) std::abort();
    std::memcpy(memory_, compiled_.code.data(), compiled_.code.size());
  }
  ~Runnable() { ::munmap(memory_, bytes); }
  Runnable(const Runnable&) = delete;
  Runnable& operator=(const Runnable&) = delete;

  std::optional<std::int64_t> operator()(std::int64_t a = 0, std::int64_t b = 0,
                                         std::int64_t time = 0) const {
    std::array<std::int64_t, 17> numbers{a, b, time};
    numbers[16] = std::bit_cast<std::int32_t>(short_real);
    const Result result = reinterpret_cast<Result (*)(const std::int64_t*)>(memory_)(numbers.data());
    return result.has_value != 0 ? std::optional(result.value) : std::nullopt;
  }
  [[nodiscard]] const MachineCode& compiled() const { return compiled_; }
  [[nodiscard]] const void* entry() const { return memory_; }

  static constexpr float short_real = -2.5F;

 private:
  static constexpr std::size_t bytes = 65536;
  MachineCode compiled_;
  void* memory_;
};

std::optional<std::int64_t> value_of(const std::string& text, std::int64_t a = 0, std::int64_t b = 0,
                                     std::int64_t time = 0) {
  return Runnable(text)(a, b, time);
}

std::string machine_fault_of(const std::string& text) {
  return test::error_text<ExpressionError>([&] { (void)compile_to_machine_code(text, all_types, fields); });
}

TEST(MachineCode, CalculatesWithWholeNumbers) {
  EXPECT_EQ(value_of("a + b * 2 - 1", 10, 5), 19);
  EXPECT_EQ(value_of("(a - b) % 7", 20, 3), 3);
  EXPECT_EQ(value_of("a / b", 7, 2), 3);
  EXPECT_EQ(value_of("a / b", -7, 2), -3) << "towards zero";
  EXPECT_EQ(value_of("-(a - b)", 1, 5), 4);
  EXPECT_EQ(value_of("4KiB + a", 1), 4097);
}

TEST(MachineCode, HasDurationsInNanoseconds) {
  EXPECT_EQ(value_of("time > 1.5us", 0, 0, 1501), 1);
  EXPECT_EQ(value_of("time > 1.5us", 0, 0, 1500), 0);
  EXPECT_EQ(value_of("time / 1us", 0, 0, 5999), 5);
  EXPECT_EQ(value_of("time * a", 3, 0, 5), 15);
}

TEST(MachineCode, TakesTheLowerHalfOfANumberWithItsSign) {
  EXPECT_EQ(value_of("low", 0, 0xffffffff), -1);
  EXPECT_EQ(value_of("low", 0, 0x7'0000'0005), 5);
  EXPECT_EQ(value_of("b", 0, 0xffffffff), 0xffffffff);
}

TEST(MachineCode, ComparesAndDecides) {
  EXPECT_EQ(value_of("a > 1 and b < 3", 2, 2), 1);
  EXPECT_EQ(value_of("a > 1 and b < 3", 2, 3), 0);
  EXPECT_EQ(value_of("a == 1 or b != 3", 0, 3), 0);
  EXPECT_EQ(value_of("not (a <= 1)", 1), 0);
  EXPECT_EQ(value_of("a >= -2", -2), 1);
  EXPECT_EQ(value_of("(a > 1) == (b > 1)", 0, 0), 1);
  EXPECT_EQ(value_of("(a > 1) != true", 2, 0), 0);
  EXPECT_EQ(value_of("false"), 0);
}

TEST(MachineCode, NeverTraps) {
  EXPECT_EQ(value_of("a / b", 1, 0), std::nullopt);
  EXPECT_EQ(value_of("a % b", 1, 0), std::nullopt);
  EXPECT_EQ(value_of("a / b", lowest, -1), std::nullopt);
  EXPECT_EQ(value_of("a % b", lowest, -1), 0);
  EXPECT_EQ(value_of("a + b", highest, 1), std::nullopt);
  EXPECT_EQ(value_of("a - b", lowest, 1), std::nullopt);
  EXPECT_EQ(value_of("a * b", highest, 2), std::nullopt);
  EXPECT_EQ(value_of("-a", lowest), std::nullopt);
}

TEST(MachineCode, AComparisonWithAMissingNumberIsFalseAndTheRestGoesOn) {
  EXPECT_EQ(value_of("1 + (2 + (3 + a / b)) > 0", 1, 0), 0);
  EXPECT_EQ(value_of("1 + (2 + (3 + a / b)) > 0 or a == 1", 1, 0), 1);
  EXPECT_EQ(value_of("not (a / b > 0)", 1, 0), 1);
  EXPECT_EQ(value_of("(a / b > 0) == (a % b > 0)", 1, 0), 1);
}

TEST(MachineCode, SaysWhichNumbersItReads) {
  EXPECT_EQ(Runnable("a + time / 1ns").compiled().places, 0b101U);
  EXPECT_EQ(Runnable("low == 1").compiled().places, 0b10U);
  EXPECT_EQ(Runnable("1").compiled().places, 0U);
}

TEST(MachineCode, SaysWhatIsWrong) {
  EXPECT_THAT(machine_fault_of("a + c"),
              HasSubstr("column 5: unknown field 'c'; known: a, b, low, time, x, y, f"));
  EXPECT_THAT(machine_fault_of("a > 1ms"), HasSubstr("column 3: 'a' is a number and '1ms' is a duration"));
  EXPECT_THAT(machine_fault_of("x % 2"), HasSubstr("column 3: '%' of numbers with a fraction"));
  EXPECT_THAT(machine_fault_of("a == 'x'"), HasSubstr("column 6: 'x' is text"));
  EXPECT_THAT(machine_fault_of("a matches 'x'"), HasSubstr("text"));
  EXPECT_THAT(machine_fault_of("not a"), HasSubstr("'not' takes true or false"));
  EXPECT_THAT(machine_fault_of("a and true"), HasSubstr("'and' takes true or false"));
  EXPECT_THAT(machine_fault_of("a +"), HasSubstr("column 4"));
  EXPECT_THAT(machine_fault_of("a > 99999999999999999999"), HasSubstr("too large"));
}

std::int64_t bits_of(double value) { return std::bit_cast<std::int64_t>(value); }

/// The value of an expression that yields a real number.
std::optional<double> real_of(const std::string& text, double x = 0, double y = 0) {
  const Runnable code(text);
  EXPECT_TRUE(code.compiled().is_real) << text;
  const auto bits = code(bits_of(x), bits_of(y));
  return bits ? std::optional(std::bit_cast<double>(*bits)) : std::nullopt;
}

TEST(MachineCode, CalculatesWithRealNumbers) {
  EXPECT_EQ(real_of("x + y * 2 - 1", 0.5, 0.25), 0.0);
  EXPECT_EQ(real_of("x / y", 1.0, 8.0), 0.125);
  EXPECT_EQ(real_of("-(x - y)", 1.5, 5.0), 3.5);
  EXPECT_EQ(real_of("f * 2"), -5.0);
  EXPECT_EQ(real_of("7 / 2.0"), 3.5) << "a point makes a real number";
  EXPECT_EQ(real_of("1.5 + 1"), 2.5);
  EXPECT_FALSE(Runnable("7 / 2").compiled().is_real);
  EXPECT_FALSE(Runnable("x > 0").compiled().is_real) << "a truth value is none";
}

TEST(MachineCode, MixesWholeAndRealNumbers) {
  EXPECT_EQ(std::bit_cast<double>(value_of("b * 0.5", 0, 7).value()), 3.5);
  EXPECT_EQ(value_of("b > 2.5", 0, 3), 1);
  EXPECT_EQ(value_of("b > 2.5", 0, 2), 0);
  EXPECT_EQ(value_of("b / 2 == 3.0", 0, 7), 1) << "the division is of whole numbers";
  EXPECT_EQ(value_of("time / 2.0 > 1us", 0, 0, 2001), 1);
}

TEST(MachineCode, ComparesRealNumbers) {
  const auto holds = [](const std::string& text, double x, double y) {
    return value_of(text, bits_of(x), bits_of(y)) == 1;
  };
  for (const double x : {-1e300, -1.0, -0.0, 0.0, 1e-300, 1.0, 1e300})
    for (const double y : {-1e300, -1.0, -0.0, 0.0, 1e-300, 1.0, 1e300}) {
      EXPECT_EQ(holds("x < y", x, y), x < y) << x << ' ' << y;
      EXPECT_EQ(holds("x <= y", x, y), x <= y) << x << ' ' << y;
      EXPECT_EQ(holds("x == y", x, y), x == y) << x << ' ' << y;
      EXPECT_EQ(holds("x != y", x, y), x != y) << x << ' ' << y;
      EXPECT_EQ(holds("x > y", x, y), x > y) << x << ' ' << y;
      EXPECT_EQ(holds("x >= y", x, y), x >= y) << x << ' ' << y;
    }
}

TEST(MachineCode, ARealNumberThatIsNotFiniteIsMissing) {
  constexpr double infinite = std::numeric_limits<double>::infinity();
  EXPECT_EQ(real_of("x / y", 1, 0), std::nullopt);
  EXPECT_EQ(real_of("x * y", 1e300, 1e300), std::nullopt);
  EXPECT_EQ(real_of("x", infinite), std::nullopt);
  EXPECT_EQ(real_of("x", std::nan("")), std::nullopt);
  EXPECT_EQ(value_of("x < 1 or x > -1", bits_of(std::nan(""))), 0) << "each comparison is false";
}

// As in a program in which results trap and rounding is upwards.
TEST(MachineCode, LeavesRegistersAndModesOfRealNumbersAsTheyWere) {
  const Runnable code("x / y + 0.1 > 0");
  ::feclearexcept(FE_ALL_EXCEPT);
  ASSERT_EQ(::fesetround(FE_UPWARD), 0);
  ASSERT_NE(::feenableexcept(FE_DIVBYZERO | FE_INEXACT | FE_INVALID), -1);
  EXPECT_EQ(code(bits_of(1), bits_of(0)), 0);
  EXPECT_EQ(code(bits_of(1), bits_of(3)), 1);
  EXPECT_EQ(::fedisableexcept(FE_ALL_EXCEPT), FE_DIVBYZERO | FE_INEXACT | FE_INVALID);
  EXPECT_EQ(::fegetround(), FE_UPWARD);
  EXPECT_EQ(::fetestexcept(FE_ALL_EXCEPT), 0);
  ::fesetround(FE_TONEAREST);
  double first = 0;
  double second = 0;
  const std::array<std::int64_t, 17> numbers{bits_of(1), bits_of(3)};
  asm volatile(
      "movq %3,%%xmm0\n\t movq %4,%%xmm1\n\t mov %2,%%rdi\n\t call *%5\n\t movq %%xmm0,%0\n\t movq %%xmm1,%1"
      : "=&r"(first), "=&r"(second)
      : "r"(numbers.data()), "r"(1.25), "r"(2.5), "r"(code.entry())
      : "rax", "rcx", "rdx", "rdi", "xmm0", "xmm1", "cc", "memory");
  EXPECT_EQ(first, 1.25);
  EXPECT_EQ(second, 2.5);
}

/// A random expression and its value, by a model with wide numbers.
class MachineModel {
 public:
  explicit MachineModel(unsigned seed) : random_(seed) {}

  std::string make(int depth, std::optional<std::int64_t>& value) {
    const auto choice = random_() % 7;
    if (depth == 0 || choice == 0) {
      value = static_cast<std::int64_t>(random_() % 9);
      return std::to_string(*value);
    }
    if (choice == 1) {
      value = a;
      return "a";
    }
    std::optional<std::int64_t> left;
    std::optional<std::int64_t> right;
    const std::string first = make(depth - 1, left);
    const std::string second = make(depth - 1, right);
    const char op = "+-*/%"[choice - 2];
    value = left && right ? result(op, *left, *right) : std::nullopt;
    return "(" + first + " " + op + " " + second + ")";
  }
  std::int64_t a{0};

 private:
  static std::optional<std::int64_t> result(char op, std::int64_t left, std::int64_t right) {
    std::int64_t value = 0;
    const bool is_over = op == '+'   ? __builtin_add_overflow(left, right, &value)
                         : op == '-' ? __builtin_sub_overflow(left, right, &value)
                         : op == '*' ? __builtin_mul_overflow(left, right, &value)
                                     : right == 0 || (left == lowest && right == -1);
    if (is_over) return std::nullopt;
    if (op == '/') return left / right;
    if (op == '%') return left % right;
    return value;
  }
  std::mt19937 random_;
};

TEST(MachineCode, AgreesWithAModel) {
  MachineModel model(28);
  for (int i = 0; i < 2000; ++i) {
    model.a = i % 3 == 0 ? highest - i : i - 1000;
    std::optional<std::int64_t> expected;
    const std::string text = model.make(6, expected);
    if (text.size() > Expression::longest) continue;
    EXPECT_EQ(value_of(text, model.a), expected) << text << " with a = " << model.a;
  }
}

}  // namespace
}  // namespace eventspace

#endif
