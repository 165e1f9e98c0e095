#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <limits>
#include <memory>
#include <optional>
#include <random>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "paths/wire/fields.h"

namespace eventspace::test {

/// A source from which a layout reads a random value: it answers like msgpack_body::Entries, but without a
/// body. Values at the ends of their ranges are frequent.
class RandomSource {
 public:
  explicit RandomSource(unsigned seed) : state_(std::make_shared<State>(seed)) {}

  template <class Integer>
  Integer integer() {
    return integer(std::numeric_limits<Integer>::min(), std::numeric_limits<Integer>::max());
  }
  template <class Integer>
  Integer integer(Integer least, Integer most) {
    switch (below(6)) {
      case 0:
        return least;
      case 1:
        return most;
      case 2:
        return static_cast<Integer>(std::clamp<std::int64_t>(below(100), clamped(least), clamped(most)));
      default:
        return static_cast<Integer>(
            within(static_cast<std::uint64_t>(least), static_cast<std::uint64_t>(most)));
    }
  }
  std::uint32_t count() { return below(4); }
  template <class Enum>
  Enum enumeration(Enum first, Enum last) {
    using Number = std::underlying_type_t<Enum>;
    return static_cast<Enum>(within(static_cast<Number>(first), static_cast<Number>(last)));
  }
  bool boolean() { return below(2) == 1; }
  double real() {
    constexpr std::array odd{0.0,
                             -0.0,
                             1.0,
                             -17.5,
                             std::numeric_limits<double>::infinity(),
                             -std::numeric_limits<double>::infinity()};
    const std::size_t which = below(2 * odd.size());
    return which < odd.size() ? odd[which] : static_cast<double>(within(0, UINT64_MAX)) / 3;
  }
  double real(double least, double most) {
    return std::uniform_real_distribution<double>(least, most)(state_->random);
  }

  std::string_view text() {
    std::string& kept = state_->texts.emplace_back();
    for (std::size_t left = below(below(20) == 0 ? 400 : 12); left > 0; --left)
      kept += static_cast<char>('a' + below(26));
    return kept;
  }
  std::string shown_text() { return std::string(text()); }
  std::string plain_text() { return std::string(text()); }
  Bytes bytes() { return bytes(1); }
  Bytes bytes(std::size_t multiple) {
    auto& kept = state_->blocks.emplace_back(multiple * below(5));
    for (std::byte& octet : kept) octet = static_cast<std::byte>(below(256));
    return kept;
  }
  template <std::size_t count>
  RandomSource& words() {
    return *this;
  }
  template <std::size_t count>
  std::optional<RandomSource> words_or_none() {
    return boolean() ? std::optional(*this) : std::nullopt;
  }

  /// A nested array of fields; optional ones may be missing.
  RandomSource array() { return RandomSource(state_, std::nullopt, depth_ + 1); }
  /// A nested array of a few elements.
  RandomSource list() { return RandomSource(state_, depth_ > 4 ? 0 : below(4), depth_ + 1); }
  bool more() { return elements_left_ ? *elements_left_ > 0 && (*elements_left_)-- > 0 : boolean(); }
  [[nodiscard]] std::size_t left() const noexcept { return elements_left_.value_or(0); }
  void expect_end() const noexcept {}
  /// Keeps the texts and bytes that were read.
  [[nodiscard]] std::shared_ptr<const void> owner() const noexcept { return state_; }
  wire::Entries::Type type() {
    using Type = wire::Entries::Type;
    constexpr std::array types{Type::integer, Type::boolean, Type::real, Type::text, Type::bytes};
    return types[below(types.size())];
  }

 private:
  struct State {
    explicit State(unsigned seed) : random(seed) {}
    std::mt19937_64 random;
    std::deque<std::string> texts{};
    std::deque<std::vector<std::byte>> blocks{};
  };
  RandomSource(std::shared_ptr<State> state, std::optional<std::size_t> elements, std::size_t depth)
      : state_(std::move(state)), elements_left_(elements), depth_(depth) {}

  template <class Integer>
  static std::int64_t clamped(Integer value) noexcept {
    return std::in_range<std::int64_t>(value) ? static_cast<std::int64_t>(value)
                                              : std::numeric_limits<std::int64_t>::max();
  }
  std::uint32_t below(std::size_t limit) { return static_cast<std::uint32_t>(state_->random() % limit); }
  // A number of the range, which may begin with a negative number.
  std::uint64_t within(std::uint64_t least, std::uint64_t most) {
    const std::uint64_t width = most - least + 1;  // 0: all numbers
    const std::uint64_t number = state_->random();
    return least + (width == 0 ? number : number % width);
  }

  std::shared_ptr<State> state_;
  std::optional<std::size_t> elements_left_{};  // nullopt: an array of fields
  std::size_t depth_{0};
};

/// A random value of a described struct, or of another type with a form, and what keeps views in it.
template <class T>
struct RandomValue {
  T value;
  std::shared_ptr<const void> owner;
};
template <class T>
RandomValue<T> random_value(unsigned seed) {
  for (;; seed += 1'000'003) {
    RandomSource source(seed);
    T value{};
    try {
      wire::DefaultForm<T>::read(source, value);
      return {std::move(value), source.owner()};
    } catch (const wire::BodyError&) {  // members that do not fit together
    }
  }
}

}  // namespace eventspace::test
