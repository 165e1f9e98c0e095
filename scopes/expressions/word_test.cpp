#include "scopes/expressions/word_test.h"

#include "scopes/expressions/name_test.h"

namespace eventspace::expressions {

WordTest::WordTest(FieldId field, Operator op, std::string_view wanted) : field_(field) {
  const EventKinds& kinds = EventKinds::instance();
  for (const EventKind* const kind : kinds.kinds()) {
    holds_.resize(kind->number + std::size_t{1});
    std::vector<bool>& holds = holds_[kind->number];
    if (field_.field().source == FieldSource::kind) {
      holds.resize(kind->number + std::size_t{1});
      holds[kind->number] = compare_texts(op, kind->name, wanted);
    } else if (const FieldPlace* const place = kinds.place(kind->number, field)) {
      for (const std::string_view word : place->words)
        holds.push_back(!word.empty() && compare_texts(op, word, wanted));
    }
  }
}

bool WordTest::holds(const ObservedEvent& event) const noexcept {
  const auto number = field_.name_number(event);
  const std::uint8_t kind = event.header().kind;
  if (!number || kind >= holds_.size()) return false;
  const std::vector<bool>& holds = holds_[kind];
  return *number < holds.size() && holds[*number];
}

}  // namespace eventspace::expressions
