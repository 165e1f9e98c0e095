#include <gtest/gtest.h>

#include <iostream>
#include <random>

#include "tests/tuplespace/element_model.h"

namespace eventspace {
namespace {

/// Random operations on an element of (value, kind), one after another.
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
        return test::write_of(Tuple::of({written_ * 10, static_cast<std::int64_t>(below(3))}));
    }
  }

 private:
  std::uint64_t cursor() { return below(static_cast<std::uint64_t>(written_) + 3); }

  Operation fetch(Verb verb) {
    Operation operation = test::fetch_of(verb, static_cast<From>(below(4)), cursor());
    if (below(3) == 0) operation.match = &kinds_[below(3)];
    return operation;
  }

  std::mt19937 random_;
  std::int64_t written_{0};
  const Template kinds_[3] = {{FieldType::integer, std::int64_t{0}},
                              {FieldType::integer, std::int64_t{1}},
                              {FieldType::integer, std::int64_t{2}}};
};

bool same(const Element::Counts& a, const Element::Counts& b) {
  return a.written == b.written && a.taken == b.taken && a.discarded == b.discarded &&
         a.dropped == b.dropped && a.refused == b.refused && a.kept == b.kept;
}

std::string attempt(Element& element, Operation operation) {
  element.attempt(operation);
  if (operation.status == Status::under_way) return operation.verb == Verb::write ? "full" : "empty";
  return test::told(operation);
}

void element_behaves_as_its_model(unsigned seed) {
  SCOPED_TRACE(testing::Message() << "seed " << seed);
  RandomOperations operations(seed);
  const std::size_t threshold = 1 + operations.below(6);
  const WhenFull when_full = operations.below(2) == 0 ? WhenFull::wait : WhenFull::discard;
  Element element({"e", {FieldType::integer, FieldType::integer}, threshold, when_full});
  test::ElementModel model(threshold, when_full);
  for (int step = 0; step < 120; ++step) {
    const Operation operation = operations.next();
    const bool whole = operations.below(2) == 0;
    const std::string outcome = whole ? test::perform(element, operation) : attempt(element, operation);
    ASSERT_EQ(outcome, model.perform(operation)) << "step " << step << ", " << to_string(operation.verb);
    ASSERT_TRUE(same(element.counts(), model.counts())) << "step " << step;
  }
}

TEST(ElementPropertyTest, BehavesAsItsModel) {
  const unsigned first = std::random_device{}();
  std::cout << "seeds from " << first << '\n';
  for (unsigned seed = first; seed != first + 500 && !testing::Test::HasFatalFailure(); ++seed)
    element_behaves_as_its_model(seed);
}

}  // namespace
}  // namespace eventspace
