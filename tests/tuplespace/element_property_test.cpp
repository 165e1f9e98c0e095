#include <gtest/gtest.h>

#include <iostream>
#include <random>

#include "tests/tuplespace/any_element.h"
#include "tests/tuplespace/element_model.h"

namespace eventspace {
namespace {

/// Makes random operations on an element of (value, kind, text), one after another.
class RandomOperations {
 public:
  explicit RandomOperations(unsigned seed) : random_(seed) {}

  std::uint64_t below(std::uint64_t limit) { return random_() % limit; }

  Operation next() {
    switch (below(12)) {
      case 0:
        return test::discard_through(cursor() / 2);
      case 1:
      case 2:
      case 3:
        return fetch(Verb::read);
      case 4:
      case 5:
      case 6:
        return fetch(Verb::take);
      default:
        ++written_;
        return test::write_of(
            Tuple::of({written_ * 10, static_cast<std::int64_t>(below(3)), std::string(below(20), 'x')}));
    }
  }

 private:
  std::uint64_t cursor() { return below(static_cast<std::uint64_t>(written_) + 3); }

  Operation fetch(Verb verb) {
    Operation operation = test::fetch_of(verb, static_cast<From>(below(4)), cursor());
    if (below(3) == 0) operation.match = &kinds_[below(3)];
    return operation;
  }

  static Template of_kind(std::int64_t kind) { return {FieldType::integer, kind, FieldType::text}; }

  std::mt19937 random_;
  std::int64_t written_{0};
  const Template kinds_[3] = {of_kind(0), of_kind(1), of_kind(2)};
};

const Signature signature{FieldType::integer, FieldType::integer, FieldType::text};

bool same(const Element::Counts& a, const Element::Counts& b) {
  return a.written == b.written && a.taken == b.taken && a.discarded == b.discarded &&
         a.dropped == b.dropped && a.refused == b.refused && a.kept == b.kept;
}

std::string attempt(test::AnyElement& element, Operation operation) {
  element.attempt(operation);
  if (operation.status == Status::under_way) return operation.verb == Verb::write ? "full" : "empty";
  return test::summary(operation);
}

void behaves_as(test::ElementModel model, test::AnyElement& element, RandomOperations& operations) {
  for (int step = 0; step < 120; ++step) {
    const Operation operation = operations.next();
    const bool whole = operations.below(2) == 0;
    const std::string outcome = whole ? test::perform(element, operation) : attempt(element, operation);
    ASSERT_EQ(outcome, model.perform(operation)) << "step " << step << ", " << to_string(operation.verb);
    ASSERT_TRUE(same(element.counts(), model.counts())) << "step " << step;
  }
}

/// Calls `run` with each of 500 seeds, and prints the first.
template <class Run>
void with_many_seeds(Run run) {
  const unsigned first = std::random_device{}();
  std::cout << "seeds from " << first << '\n';
  for (unsigned seed = first; seed != first + 500 && !testing::Test::HasFatalFailure(); ++seed) {
    SCOPED_TRACE(testing::Message() << "seed " << seed);
    RandomOperations operations(seed);
    const std::size_t threshold = 1 + operations.below(6);
    run(threshold, operations.below(2) == 0 ? WhenFull::wait : WhenFull::discard, operations);
  }
}

class ElementPropertyTest : public testing::TestWithParam<test::ElementKind> {};
INSTANTIATE_TEST_SUITE_P(Kinds, ElementPropertyTest, test::all_kinds, test::name_of_kind);

TEST_P(ElementPropertyTest, BehavesAsItsModel) {
  with_many_seeds([](std::size_t threshold, WhenFull when_full, RandomOperations& operations) {
    const auto element = test::make_element(GetParam(), {"e", signature, threshold, when_full});
    behaves_as({threshold, when_full}, *element, operations);
  });
}

// With so little room that tuples are refused, wrap around the end of their memory, and leave gaps to close.
TEST(SharedElementPropertyTest, BehavesAsItsModelWhenRoomIsShort) {
  with_many_seeds([](std::size_t threshold, WhenFull when_full, RandomOperations& operations) {
    const std::size_t room = SharedElement::min_room + operations.below(40);
    test::SoleSharedElement element({"e", signature, threshold, when_full, 24}, room);
    behaves_as({threshold, when_full, room, 24}, element, operations);
  });
}

}  // namespace
}  // namespace eventspace
