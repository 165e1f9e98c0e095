#include "scopes/streams/filters/columns.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <type_traits>

namespace eventspace::streams {
namespace {

template <class Number>
using Wide = std::conditional_t<std::is_floating_point_v<Number>, double,
                                std::conditional_t<std::is_signed_v<Number>, std::int64_t, std::uint64_t>>;

template <class Number>
Number add(Number a, Number b) {
  if constexpr (std::is_floating_point_v<Number>) {
    return a + b;
  } else {
    Number sum{};
    if (__builtin_add_overflow(a, b, &sum)) throw PacketError("a sum exceeds 64 bits");
    return sum;
  }
}

template <class Number>
Number combined(Number a, Number b, Combine how) {
  if constexpr (std::is_floating_point_v<Number>) {
    if (std::isnan(a)) return a;
    if (std::isnan(b)) return b;
  }
  if (how == Combine::sum) return add(a, b);
  return how == Combine::least ? std::min(a, b) : std::max(a, b);
}

Column read_column(const PacketView& view, std::size_t at) {
  const ValueType type = view.signature()[at];
  if (value_type::element(type) == ValueType::text) {
    throw PacketError(fmt::format("value {} of a packet ({}) is not a number, so it cannot be combined", at,
                                  to_string(view.signature())));
  }
  const Bytes raw = view.raw(at);
  return value_type::with_number(type, [&](auto zero) {
    using Number = decltype(zero);
    std::vector<Wide<Number>> numbers(raw.size() / sizeof(Number));
    for (std::size_t i = 0; i < numbers.size(); ++i) {
      std::memcpy(&zero, raw.data() + i * sizeof zero, sizeof zero);
      numbers[i] = zero;  // NOLINT(bugprone-signed-char-misuse): an i8 is a number
    }
    return Column{type, std::move(numbers)};
  });
}

/// Whether a value of a packet is of the kind and the length of a column.
bool is_like(const Column& column, const PacketView& view, std::size_t at) {
  const ValueType type = view.signature()[at];
  if (value_type::element(type) == ValueType::text ||
      value_type::is_array(type) != value_type::is_array(column.type))
    return false;
  const std::size_t bytes = view.raw(at).size();
  return value_type::with_number(type, [&](auto zero) {
    using Number = decltype(zero);
    const auto* const numbers = std::get_if<std::vector<Wide<Number>>>(&column.numbers);
    return numbers != nullptr && numbers->size() == bytes / sizeof(Number);
  });
}

void combine_value(Column& into, const PacketView& view, std::size_t at, Combine how) {
  const Bytes raw = view.raw(at);
  value_type::with_number(view.signature()[at], [&](auto zero) {
    using Number = decltype(zero);
    auto& numbers = std::get<std::vector<Wide<Number>>>(into.numbers);
    for (std::size_t i = 0; i < numbers.size(); ++i) {
      std::memcpy(&zero, raw.data() + i * sizeof zero, sizeof zero);
      numbers[i] = combined<Wide<Number>>(numbers[i], zero, how);
    }
  });
}

}  // namespace

std::size_t Column::size() const noexcept {
  return std::visit([](const auto& some) { return some.size(); }, numbers);
}

ValueType Column::wide_type() const noexcept {
  constexpr std::array wide{ValueType::i64, ValueType::u64, ValueType::f64};
  const ValueType scalar = wide.at(numbers.index());
  return value_type::is_array(type) ? value_type::array_of(scalar) : scalar;
}

std::vector<double> Column::over(std::uint64_t count) const {
  std::vector<double> means;
  std::visit(
      [&](const auto& some) {
        for (const auto number : some)
          means.push_back(static_cast<double>(number) / static_cast<double>(count));
      },
      numbers);
  return means;
}

Columns read_columns(const PacketView& view, std::size_t values) {
  Columns columns;
  for (std::size_t at = 0; at < values; ++at) columns.push_back(read_column(view, at));
  return columns;
}

void combine(Columns& columns, const Columns& other, Combine how) {
  if (columns.size() != other.size())
    throw PacketError(fmt::format("a wave has packets of {} and of {} values", columns.size(), other.size()));
  for (std::size_t at = 0; at < columns.size(); ++at) {
    Column& into = columns[at];
    if (into.wide_type() != other[at].wide_type() || into.size() != other[at].size()) {
      throw PacketError(fmt::format("value {} of a wave's packets is {} of {} numbers and {} of {}", at,
                                    to_string(std::span(&into.type, 1)), into.size(),
                                    to_string(std::span(&other[at].type, 1)), other[at].size()));
    }
    std::visit(
        [&](auto& to) {
          const auto& from = std::get<std::decay_t<decltype(to)>>(other[at].numbers);
          for (std::size_t i = 0; i < to.size(); ++i) to[i] = combined(to[i], from[i], how);
        },
        into.numbers);
  }
}

void combine(Columns& columns, const PacketView& view, std::size_t values, Combine how) {
  bool are_like = columns.size() == values && values <= view.size();
  for (std::size_t at = 0; are_like && at < values; ++at) are_like = is_like(columns[at], view, at);
  if (!are_like) return combine(columns, read_columns(view, values), how);  // throws the reason
  for (std::size_t at = 0; at < values; ++at) combine_value(columns[at], view, at, how);
}

void write_column(PacketWriter& writer, const Column& column, ValueType type) {
  value_type::with_number(type, [&](auto zero) {
    using Number = decltype(zero);
    std::vector<Number> numbers;
    numbers.reserve(column.size());
    std::visit(
        [&](const auto& some) {
          for (const auto number : some) numbers.push_back(static_cast<Number>(number));
        },
        column.numbers);
    if (value_type::is_array(type)) {
      writer.array(std::span<const Number>(numbers));
    } else {
      writer.number(numbers.at(0));
    }
  });
}

}  // namespace eventspace::streams
