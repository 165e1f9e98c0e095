#include "tuplespace/element.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <thread>

#include <eventspace/error.h>
#include "tests/tuplespace/any_element.h"
#include "tests/tuplespace/element_talk.h"

namespace eventspace {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::ThrowsMessage;

/// An element of one integer, and short forms of the non-blocking operations on it. Tuple n has the value 10
/// * n.
class ElementTest : public testing::TestWithParam<test::ElementKind> {
 protected:
  void given(ElementConfig config) { element = test::make_element(GetParam(), std::move(config)); }
  void given(std::size_t threshold, WhenFull when_full) {
    given(ElementConfig{"numbers", {FieldType::integer}, threshold, when_full});
  }
  void given_written(std::int64_t count, std::size_t threshold = 200, WhenFull when_full = WhenFull::wait) {
    given(threshold, when_full);
    for (std::int64_t n = 1; n <= count; ++n) ASSERT_EQ(write(n * 10), "#" + std::to_string(n));
  }

  std::string write(std::int64_t value) { return test::perform(*element, test::write_of(test::one(value))); }
  std::string take(From from = From::oldest, std::uint64_t sequence = 0) {
    return test::perform(*element, test::fetch_of(Verb::take, from, sequence));
  }
  std::string read(From from = From::oldest, std::uint64_t sequence = 0) {
    return test::perform(*element, test::fetch_of(Verb::read, from, sequence));
  }
  std::string matching(Verb verb, const Template& match, From from = From::oldest,
                       std::uint64_t sequence = 0) {
    Operation operation = test::fetch_of(verb, from, sequence);
    operation.match = &match;
    return test::perform(*element, operation);
  }
  Status discard(std::uint64_t sequence) {
    Operation operation = test::discard_through(sequence);
    element->perform(operation);
    return operation.status;
  }

  std::unique_ptr<test::AnyElement> element;
};
INSTANTIATE_TEST_SUITE_P(Kinds, ElementTest, test::all_kinds, test::name_of_kind);

TEST_P(ElementTest, TakesComeInTheOrderOfTheWrites) {
  given_written(3);
  EXPECT_EQ(take(), "#1 = 10");
  EXPECT_EQ(take(), "#2 = 20");
  EXPECT_EQ(take(), "#3 = 30");
  EXPECT_EQ(take(), "empty");
}

TEST_P(ElementTest, ReadLeavesTheTuple) {
  given_written(1);
  EXPECT_EQ(read(), "#1 = 10");
  EXPECT_EQ(read(), "#1 = 10");
  EXPECT_EQ(element->counts().kept, 1u);
}

TEST_P(ElementTest, WriteLeavesItsOwnTuple) {
  given(1, WhenFull::wait);
  Operation operation = test::write_of(test::one(5));
  element->perform(operation);
  EXPECT_EQ(operation.tuple, test::one(5));
}

TEST_P(ElementTest, FullWaitingElementTakesNoMore) {
  given_written(2, 2, WhenFull::wait);
  EXPECT_EQ(write(30), "full");
  EXPECT_EQ(take(), "#1 = 10");
  EXPECT_EQ(write(30), "#3");
  EXPECT_EQ(element->counts().discarded, 0u);
}

TEST_P(ElementTest, FullDiscardingElementDropsTheOldestAndCounts) {
  given_written(5, 2, WhenFull::discard);
  EXPECT_EQ(read(), "#4 = 40");
  EXPECT_EQ(element->counts().written, 5u);
  EXPECT_EQ(element->counts().discarded, 3u);
  EXPECT_EQ(element->counts().kept, 2u);
}

TEST_P(ElementTest, ReadFromNewestOrAtANumberOrAfterIt) {
  given_written(5);
  EXPECT_EQ(read(From::newest), "#5 = 50");
  EXPECT_EQ(read(From::at, 3), "#3 = 30");
  EXPECT_EQ(read(From::at, 6), "empty");
  EXPECT_EQ(read(From::after, 3), "#4 = 40");
  EXPECT_EQ(read(From::after, 0), "#1 = 10");
  EXPECT_EQ(read(From::after, 5), "empty");
}

TEST_P(ElementTest, NumbersHoldWhenATupleGoesFromTheMiddle) {
  given_written(4);
  EXPECT_EQ(take(From::at, 2), "#2 = 20");
  EXPECT_EQ(read(From::at, 1), "#1 = 10");
  EXPECT_EQ(read(From::at, 2), "gone");
  EXPECT_EQ(read(From::at, 3), "#3 = 30");
  EXPECT_EQ(read(From::after, 1), "#3 = 30");
  EXPECT_EQ(take(From::newest), "#4 = 40");
  EXPECT_EQ(read(From::newest), "#3 = 30");
}

TEST_P(ElementTest, NumberZeroWasAlwaysGone) {
  given_written(1);
  EXPECT_EQ(read(From::at, 0), "gone");
}

TEST_P(ElementTest, AReaderLearnsHowManyTuplesAFullElementDiscarded) {
  given_written(10, 3, WhenFull::discard);
  EXPECT_EQ(read(From::after, 2), "#8 = 80, missed 5");
  EXPECT_EQ(read(From::after, 8), "#9 = 90");
  EXPECT_EQ(read(From::at, 2), "gone");
}

TEST_P(ElementTest, WhatOthersTookIsNotMissed) {
  given_written(3, 3, WhenFull::discard);
  EXPECT_EQ(take(), "#1 = 10");
  EXPECT_EQ(write(40), "#4");
  EXPECT_EQ(write(50), "#5");  // discards 2
  EXPECT_EQ(read(From::after, 0), "#3 = 30, missed 1");
}

TEST_P(ElementTest, DiscardsWithGapsBetweenAreAllCounted) {
  given(2, WhenFull::discard);
  const int rounds = 3 * static_cast<int>(DiscardHistory::max_spans);
  for (int n = 0; n < rounds; ++n) {
    write(n);
    write(n);  // discards the one before the last
    ASSERT_NE(take(From::newest), "empty");
  }
  const auto discarded = std::to_string(element->counts().discarded);
  EXPECT_EQ(element->counts().discarded, static_cast<std::uint64_t>(rounds) - 1);
  const std::uint64_t newest = element->counts().written - 1;
  EXPECT_EQ(read(From::after, 0),
            "#" + std::to_string(newest) + " = " + std::to_string(rounds - 1) + ", missed " + discarded);
  EXPECT_EQ(read(From::after, newest - 21),
            "#" + std::to_string(newest) + " = " + std::to_string(rounds - 1) + ", missed 10");
}

TEST_P(ElementTest, WhatWasDroppedOnPurposeIsNotMissed) {
  given_written(4);
  EXPECT_EQ(discard(2), Status::ok);
  EXPECT_EQ(read(From::after, 0), "#3 = 30");
  EXPECT_EQ(element->counts().dropped, 2u);
  EXPECT_EQ(element->counts().discarded, 0u);
}

TEST_P(ElementTest, DiscardPastTheNewestDropsAllAndNothingToCome) {
  given_written(3);
  EXPECT_EQ(discard(1000), Status::ok);
  EXPECT_EQ(read(), "empty");
  EXPECT_EQ(write(40), "#4");
  EXPECT_EQ(read(), "#4 = 40");
}

TEST_P(ElementTest, AnyNumberPassesByOneThatStays) {
  given_written(2, 3);
  for (std::int64_t n = 3; n < 300; ++n) {
    ASSERT_EQ(write(n * 10), "#" + std::to_string(n));
    ASSERT_EQ(take(From::at, static_cast<std::uint64_t>(n) - 1),
              "#" + std::to_string(n - 1) + " = " + std::to_string((n - 1) * 10));
    ASSERT_EQ(read(From::oldest), "#1 = 10");
  }
}

TEST_P(ElementTest, TemplateSelects) {
  given_written(4);
  EXPECT_EQ(matching(Verb::take, {std::int64_t{30}}), "#3 = 30");
  EXPECT_EQ(matching(Verb::take, {std::int64_t{30}}), "empty");
  EXPECT_EQ(matching(Verb::read, {FieldType::integer}), "#1 = 10");
  EXPECT_EQ(matching(Verb::read, {std::int64_t{20}}, From::after, 2), "empty");
  EXPECT_EQ(matching(Verb::read, {std::int64_t{20}}, From::newest), "empty");
  EXPECT_EQ(matching(Verb::read, {std::int64_t{20}}, From::at, 2), "#2 = 20");
}

TEST_P(ElementTest, WaitingForANumberThatCannotMatchEndsAtOnce) {
  given_written(2);
  const Template match{std::int64_t{99}};
  Operation operation = test::fetch_of(Verb::read, From::at, 2, Deadline::never());
  operation.match = &match;
  EXPECT_EQ(test::perform(*element, operation), "empty");
}

TEST_P(ElementTest, WrongSignatureIsRefusedAndCounted) {
  given(3, WhenFull::wait);
  EXPECT_EQ(test::perform(*element, test::write_of(Tuple::of({"text"}))), "refused");
  EXPECT_EQ(test::perform(*element, test::write_of(Tuple())), "refused");
  EXPECT_EQ(matching(Verb::read, {FieldType::text}), "refused");
  EXPECT_EQ(test::perform(*element, test::fetch_of(Verb::pull)), "refused");
  EXPECT_EQ(test::perform(*element, test::fetch_of(static_cast<Verb>(77))), "refused");
  EXPECT_EQ(element->counts().refused, 5u);
  EXPECT_EQ(element->counts().written, 0u);
}

TEST_P(ElementTest, OversizedTupleIsRefused) {
  given(ElementConfig{"small", {FieldType::text}, 3, WhenFull::wait, 10});
  EXPECT_EQ(test::perform(*element, test::write_of(Tuple::of({"12345678"}))), "#1");
  EXPECT_EQ(test::perform(*element, test::write_of(Tuple::of({"123456789"}))), "refused");
}

/// An element of texts, in which tuple 2 is the only one of more than 20 bytes.
class LargeTupleTest : public testing::TestWithParam<test::ElementKind> {
 protected:
  LargeTupleTest() {
    for (const std::size_t length : {1u, 100u, 2u}) write(length);
  }
  void write(std::size_t length) {
    Operation write_text = test::write_of(text(length));
    element->perform(write_text);
    ASSERT_EQ(write_text.status, Status::ok);
  }
  static Tuple text(std::size_t length) { return Tuple::of({std::string_view(std::string(length, 'x'))}); }
  Operation& fetch(Verb verb, From from, std::uint64_t sequence = 0, std::size_t max_bytes = 20) {
    operation = test::fetch_of(verb, from, sequence);
    operation.max_bytes = max_bytes;
    element->perform(operation);
    return operation;
  }

  std::unique_ptr<test::AnyElement> element =
      test::make_element(GetParam(), {"texts", {FieldType::text}, 10});
  Operation operation;
};
INSTANTIATE_TEST_SUITE_P(Kinds, LargeTupleTest, test::all_kinds, test::name_of_kind);

TEST_P(LargeTupleTest, ATupleTooLargeForTheCallerIsRefusedAndStays) {
  const std::size_t large = text(100).encoded().size();
  for (const Verb verb : {Verb::read, Verb::take}) {
    EXPECT_EQ(fetch(verb, From::at, 2).status, Status::refused);
    EXPECT_THAT(operation.reason, AllOf(HasSubstr("tuple 2 has " + std::to_string(large) + " bytes"),
                                        HasSubstr("`limits: message` leaves 20 ")));
    EXPECT_EQ(fetch(verb, From::after, 1).status, Status::refused);
  }
  EXPECT_EQ(element->counts().kept, 3u);
  EXPECT_EQ(element->counts().taken, 0u);
  EXPECT_EQ(element->counts().refused, 4u);
  EXPECT_EQ(fetch(Verb::take, From::at, 2, large).tuple, text(100));
}

TEST_P(LargeTupleTest, TheOthersAreHadAllTheSame) {
  EXPECT_EQ(fetch(Verb::take, From::oldest).sequence, 1u);
  EXPECT_EQ(fetch(Verb::take, From::oldest).status, Status::refused);
  EXPECT_EQ(fetch(Verb::read, From::newest).sequence, 3u);
  EXPECT_EQ(fetch(Verb::read, From::at, 3).tuple, text(2));
  Operation discard = test::discard_through(2);
  element->perform(discard);
  EXPECT_EQ(fetch(Verb::take, From::oldest).tuple, text(2));
}

TEST_P(ElementTest, ClosedElementDoesNothingMore) {
  given_written(1);
  element->close();
  EXPECT_EQ(read(), "closed");
  EXPECT_EQ(write(20), "closed");
  EXPECT_EQ(discard(1), Status::closed);
}

TEST_P(ElementTest, PassedDeadlineStillDoesWhatCanBeDone) {
  given_written(1);
  const Deadline passed = Deadline::after(std::chrono::seconds(-1));
  EXPECT_EQ(test::perform(*element, test::fetch_of(Verb::take, From::oldest, 0, passed)), "#1 = 10");
  EXPECT_EQ(test::perform(*element, test::fetch_of(Verb::take, From::oldest, 0, passed)), "timed out");
}

TEST(ElementOfAnyType, TheFirstTupleDecides) {
  Element element({.name = "any", .signature = {}, .adopts_signature = true});
  EXPECT_TRUE(element.signature().fields().empty());
  EXPECT_EQ(test::perform(element, test::fetch_of(Verb::take, From::oldest)), "empty");
  EXPECT_EQ(test::perform(element, test::write_of(Tuple())), "refused");
  EXPECT_EQ(test::perform(element, test::write_of(test::one(5))), "#1");
  EXPECT_EQ(element.signature(), Signature{FieldType::integer});
  EXPECT_EQ(test::perform(element, test::write_of(Tuple::of({std::string_view("five")}))), "refused");
  EXPECT_EQ(test::perform(element, test::fetch_of(Verb::take, From::oldest)), "#1 = 5");
}

TEST(ElementOfAnyType, AThreadThatWaitsForAnotherTypeIsRefused) {
  Element element({.name = "any", .signature = {}, .adopts_signature = true});
  const Template text({FieldType::text});
  Operation waiting = test::fetch_of(Verb::take, From::oldest, 0, Deadline::never());
  waiting.match = &text;
  std::thread waiter([&] { element.perform(waiting); });
  while (element.counts().refused == 0) {
    // Only a thread that already waits is refused; until then the tuple is taken away again.
    (void)test::perform(element, test::write_of(test::one(5)));
    (void)test::perform(element, test::fetch_of(Verb::take, From::oldest));
  }
  waiter.join();
  EXPECT_EQ(waiting.status, Status::refused);
}

TEST(ElementOfAnyType, AdoptsATypeBeforeItsFirstTuple) {
  Element element({.name = "any", .signature = {}, .adopts_signature = true});
  EXPECT_TRUE(element.adopt_signature({FieldType::integer}));
  EXPECT_EQ(element.signature(), Signature{FieldType::integer});
  EXPECT_EQ(test::perform(element, test::write_of(Tuple::of({std::string_view("five")}))), "refused");
  EXPECT_EQ(test::perform(element, test::write_of(test::one(5))), "#1");
  EXPECT_TRUE(element.adopt_signature({FieldType::integer})) << "it has that type";
  EXPECT_FALSE(element.adopt_signature({FieldType::text}));
  EXPECT_EQ(element.signature(), Signature{FieldType::integer});
}

TEST(ElementOfAnyType, DoesNotAdoptATypeThatNoElementCanHave) {
  Element element({.name = "any", .signature = {}, .adopts_signature = true});
  EXPECT_FALSE(element.adopt_signature(Signature(std::vector<FieldType>(65))));
  EXPECT_TRUE(element.signature().fields().empty());
}

TEST(ElementOfAnyType, AnAttemptAtAnotherTypeIsWokenAndRefusedWhenATypeIsAdopted) {
  Element element({.name = "any", .signature = {}, .adopts_signature = true});
  const Template text({FieldType::text});
  struct CountingWaker final : Waker {
    void wake() noexcept override { ++calls; }
    int calls{0};
  } waker;
  Operation take = test::fetch_of(Verb::take, From::oldest);
  take.match = &text;
  take.waker = &waker;
  element.attempt(take);
  ASSERT_EQ(take.status, Status::under_way);
  EXPECT_TRUE(element.adopt_signature({FieldType::integer}));
  EXPECT_EQ(waker.calls, 1);
  element.attempt(take);
  EXPECT_EQ(take.status, Status::refused);
}

TEST(ElementConfigTest, WhatCannotBeIsRefused) {
  EXPECT_THAT(
      [] {
        Element({"e", {FieldType::integer}, 0});
      },
      ThrowsMessage<ConfigurationError>(HasSubstr("element 'e': threshold 0")));
  EXPECT_THAT(
      [] {
        Element({"e", {}});
      },
      ThrowsMessage<ConfigurationError>(HasSubstr("element 'e': a signature of 0 fields")));
  EXPECT_THROW(Element({"e", Signature(std::vector<FieldType>(65))}), ConfigurationError);
}

}  // namespace
}  // namespace eventspace
