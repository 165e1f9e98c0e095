#include "paths/joints/combine.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include <eventspace/error.h>

namespace eventspace {
namespace {

using Unsigned = std::uint64_t;

std::int64_t wrapped(Unsigned value) noexcept { return static_cast<std::int64_t>(value); }

struct Sum {
  std::int64_t operator()(std::int64_t a, std::int64_t b) const {
    return wrapped(static_cast<Unsigned>(a) + static_cast<Unsigned>(b));
  }
  double operator()(double a, double b) const { return a + b; }
};
struct Product {
  std::int64_t operator()(std::int64_t a, std::int64_t b) const {
    return wrapped(static_cast<Unsigned>(a) * static_cast<Unsigned>(b));
  }
  double operator()(double a, double b) const { return a * b; }
};
struct Least {
  std::int64_t operator()(std::int64_t a, std::int64_t b) const { return std::min(a, b); }
  double operator()(double a, double b) const { return std::isnan(a) || a < b ? a : b; }
};
struct Greatest {
  std::int64_t operator()(std::int64_t a, std::int64_t b) const { return std::max(a, b); }
  double operator()(double a, double b) const { return std::isnan(a) || a > b ? a : b; }
};
struct And {
  bool operator()(bool a, bool b) const { return a && b; }
  std::int64_t operator()(std::int64_t a, std::int64_t b) const { return a & b; }
};
struct Or {
  bool operator()(bool a, bool b) const { return a || b; }
  std::int64_t operator()(std::int64_t a, std::int64_t b) const { return a | b; }
};
struct Xor {
  bool operator()(bool a, bool b) const { return a != b; }
  std::int64_t operator()(std::int64_t a, std::int64_t b) const { return a ^ b; }
};

template <class Operator, class First, class Second>
CombineInfo combine_of(std::string name, std::string help) {
  return {std::move(name),
          std::move(help),
          {type_of(Field(First{})), type_of(Field(Second{}))},
          [](const Field& earlier, const Field& later) -> Field {
            if (const auto* const first = std::get_if<First>(&earlier))
              return Operator{}(*first, std::get<First>(later));
            return Operator{}(std::get<Second>(earlier), std::get<Second>(later));
          }};
}

template <class Operator>
CombineInfo of_numbers(std::string name, std::string help) {
  return combine_of<Operator, std::int64_t, double>(std::move(name), std::move(help));
}
template <class Operator>
CombineInfo of_bits(std::string name, std::string help) {
  return combine_of<Operator, bool, std::int64_t>(std::move(name), std::move(help));
}

}  // namespace

bool CombineInfo::takes(FieldType type) const noexcept {
  return std::ranges::find(types, type) != types.end();
}

CombineRegistry::CombineRegistry()
    : Registry("way to combine",
               {of_numbers<Sum>("sum", "all added up"), of_numbers<Product>("product", "all multiplied"),
                of_numbers<Least>("min", "the least"), of_numbers<Greatest>("max", "the greatest"),
                of_bits<And>("and", "whether all are true; of integers, bit by bit"),
                of_bits<Or>("or", "whether one is true; of integers, bit by bit"),
                of_bits<Xor>("xor", "whether an odd number is true; of integers, bit by bit")}) {}

CombineRegistry& CombineRegistry::instance() {
  static CombineRegistry registry;
  return registry;
}

Tuple combine(const Tuple& earlier, const Tuple& later, const std::vector<const CombineInfo*>& how) {
  std::vector<Field> fields;
  fields.reserve(how.size());
  for (std::size_t i = 0; i < how.size(); ++i)
    fields.push_back(how[i]->combine(earlier.field(i), later.field(i)));
  return Tuple::of(fields);
}

}  // namespace eventspace
