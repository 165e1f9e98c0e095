#include "scopes/expressions/word_test.h"

#include <algorithm>

#include "scopes/expressions/name_test.h"

namespace eventspace::expressions {

namespace {

constexpr std::size_t bits_of_a_word = 64;

}  // namespace

WordTest::WordTest(FieldId field, Operator op, std::string_view wanted) : field_(field) {
  const EventKinds& kinds = EventKinds::instance();
  const bool is_kind = field_.field().source == FieldSource::kind;
  std::size_t numbers = is_kind ? 256 : 0;
  for (const EventKind* const kind : kinds.kinds()) {
    if (const FieldPlace* const place = kinds.place(kind->number, field))
      numbers = std::max(numbers, place->words.size());
  }
  words_of_a_kind_ = (numbers + bits_of_a_word - 1) / bits_of_a_word;
  for (const EventKind* const kind : kinds.kinds()) {
    if (is_kind) {
      if (compare_texts(op, kind->name, wanted)) set(kind->number, kind->number);
    } else if (const FieldPlace* const place = kinds.place(kind->number, field)) {
      for (std::size_t number = 0; number < place->words.size(); ++number) {
        const std::string_view word = place->words[number];
        if (!word.empty() && compare_texts(op, word, wanted)) set(kind->number, number);
      }
    }
  }
}

void WordTest::set(std::uint8_t kind, std::size_t number) {
  const std::size_t at = kind * words_of_a_kind_ + number / bits_of_a_word;
  holds_.resize(std::max(holds_.size(), at + 1));
  holds_[at] |= std::uint64_t{1} << number % bits_of_a_word;
}

bool WordTest::holds(const ObservedEvent& event) const noexcept {
  const auto number = field_.name_number(event);
  if (!number) return false;
  const std::size_t word = *number / bits_of_a_word;
  const std::size_t at = event.header().kind * words_of_a_kind_ + word;
  if (word >= words_of_a_kind_ || at >= holds_.size()) return false;
  return (holds_[at] >> *number % bits_of_a_word & 1) != 0;
}

}  // namespace eventspace::expressions
