#include "collectors/kinds/event_kinds.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <bit>

#include <eventspace/error.h>
#include "collectors/event_record.h"

namespace eventspace {
namespace {

using ::testing::HasSubstr;
using ::testing::ThrowsMessage;

/// A kind whose record has a tag, a 64-bit size and a number of any form, and a second size in a
/// continuation.
struct EventKindsTest : ::testing::Test {
  EventKindsTest() {
    for (const char* const name : {"mark", "size", "load", "more"})
      kinds.add_field({.name = name, .help = ""});
    message.number = 77;
    message.name = "message";
    message.fields = {{.field = "mark", .word = 3, .shift = 32, .bits = 32, .absent = 0},
                      {.field = "size", .word = 5},
                      {.field = "load", .word = 6, .form_shift = 28},
                      {.field = "more", .word = 5, .part = 1}};
  }

  [[nodiscard]] const FieldPlace* place(std::string_view field, std::uint8_t kind = 77) const {
    return kinds.place(kind, *kinds.field_named(field));
  }

  EventKinds kinds;
  EventKind message;
};

TraceTuple record(std::uint64_t tag, std::uint64_t size, std::uint64_t load, NumberForm form) {
  TraceTuple record;
  record.words = {9,
                  100,
                  record_words::thread_path(1, 2),
                  record_words::kind(77, 1) | tag << 32 | static_cast<std::uint64_t>(form) << 28,
                  200,
                  size,
                  load};
  return record;
}

TEST_F(EventKindsTest, AFieldIsReadFromItsPlace) {
  kinds.add(message);
  const TraceTuple one = record(5, ~std::uint64_t{0}, std::bit_cast<std::uint64_t>(-2.5), NumberForm::real);
  EXPECT_EQ(place("mark")->bits_of(one), 5u);
  EXPECT_EQ(place("size")->bits_of(one), ~std::uint64_t{0});
  EXPECT_EQ(place("load")->number(one), -2.5);
  EXPECT_EQ(place("thread")->bits_of(one), 1u);
  EXPECT_EQ(place("path")->bits_of(one), 2u);
  EXPECT_EQ(place("point")->bits_of(one), 1u);
  EXPECT_EQ(place("sequence")->bits_of(one), 9u);
}

TEST_F(EventKindsTest, TheFormOfANumberIsThatOfItsRecord) {
  kinds.add(message);
  const auto minus_three = static_cast<std::uint64_t>(std::int64_t{-3});
  EXPECT_EQ(place("load")->number(record(1, 0, minus_three, NumberForm::integer)), -3.0);
  EXPECT_EQ(place("load")->number(record(1, 0, 3, NumberForm::natural)), 3.0);
  EXPECT_EQ(place("load")->number(record(1, 0, 3, NumberForm::absent)), std::nullopt);
}

TEST_F(EventKindsTest, AnAbsentFieldAndOneNotYetWrittenAreMissing) {
  kinds.add(message);
  EXPECT_EQ(place("mark")->bits_of(record(0, 1, 2, NumberForm::natural)), std::nullopt);
  TraceTuple in_flight = record(5, 1, 2, NumberForm::natural);
  in_flight.words[4] = 0;
  EXPECT_EQ(place("size")->bits_of(in_flight), std::nullopt);
  EXPECT_EQ(place("mark")->bits_of(in_flight), 5u);
  EventRecord operation;
  operation.status = Status::ok;
  EXPECT_EQ(place("status", operation_kind)->bits_of(encode(operation)),
            static_cast<std::uint64_t>(Status::under_way));
}

TEST_F(EventKindsTest, UnknownKindsHaveTheFieldsOfAllKinds) {
  EXPECT_EQ(kinds.find(std::uint8_t{77}), nullptr);
  EXPECT_EQ(kinds.name_of(77), "?");
  EXPECT_EQ(place("thread")->bits_of(record(5, 1, 2, NumberForm::natural)), 1u);
  EXPECT_EQ(place("bytes"), nullptr);
  kinds.add(message);
  EXPECT_EQ(kinds.name_of(77), "message");
  EXPECT_EQ(place("verb"), nullptr);
  EXPECT_EQ(kinds.find("message")->number, 77);
}

TEST_F(EventKindsTest, EveryStoredFieldOfAKindIsInTheVocabulary) {
  for (const EventKind* const kind : kinds.kinds()) {
    for (const FieldPlace& place : kind->fields) {
      const auto field = kinds.field_named(place.field);
      ASSERT_TRUE(field) << place.field;
      EXPECT_EQ(kinds.place(kind->number, *field)->word, place.word);
      EXPECT_FALSE(kinds.field(*field).help.empty()) << place.field;
      EXPECT_EQ(kinds.field(*field).names == NumberNames::words, !place.words.empty()) << place.field;
    }
  }
}

TEST_F(EventKindsTest, AKindThatDoesNotFitIsRefusedAndNothingIsAdded) {
  const auto refused = [this](EventKind kind) {
    try {
      kinds.add(std::move(kind));
    } catch (const ConfigurationError& error) {
      EXPECT_EQ(kinds.find(std::uint8_t{77}), nullptr);
      return std::string(error.what());
    }
    return std::string("nothing");
  };
  const auto with = [this](FieldPlace place) {
    EventKind kind = message;
    kind.fields.push_back(std::move(place));
    return kind;
  };
  EventKind other = message;
  other.number = operation_kind;
  EXPECT_EQ(refused(other), "event kind 'message': the number 1 belongs to the kind 'operation'");
  other.number = 0;
  EXPECT_THAT(refused(other), HasSubstr("0 is not a kind's number"));
  other = message;
  other.name = "operation";
  EXPECT_THAT(refused(other), HasSubstr("registered already"));
  EXPECT_THAT(refused(with({.field = "colour", .word = 7})), HasSubstr("'colour' is not a stored field"));
  EXPECT_THAT(refused(with({.field = "duration", .word = 7})), HasSubstr("'duration' is not a stored field"));
  EXPECT_THAT(refused(with({.field = "bytes", .word = 4})), HasSubstr("not within the bits of a kind"));
  EXPECT_THAT(refused(with({.field = "bytes", .word = 3, .bits = 8})), HasSubstr("not within"));
  EXPECT_THAT(refused(with({.field = "bytes", .word = 7, .shift = 1})), HasSubstr("bits 1 to 64"));
  EXPECT_THAT(refused(with({.field = "bytes", .word = 7, .bits = 0})), HasSubstr("not within"));
  EXPECT_THAT(refused(with({.field = "bytes", .word = 7, .part = 16})), HasSubstr("part 16"));
  EXPECT_THAT(refused(with({.field = "mark", .word = 7})), HasSubstr("'mark' has two places"));
  EXPECT_THAT(refused(with({.field = "thread", .word = 7})), HasSubstr("'thread' has two places"));
}

TEST_F(EventKindsTest, OnlyContinuationsOfAKindThatHasThemAreFollowedByOthers) {
  TraceTuple part = record(1, 2, 3, NumberForm::natural);
  part.words[3] |= 1 << 8;
  EXPECT_EQ(kinds.records_after(part), 0u);  // of an unknown kind
  kinds.add(message);
  EXPECT_EQ(kinds.records_after(part), 1u);
  EXPECT_EQ(kinds.records_after(record(1, 2, 3, NumberForm::natural)), 0u);
  part.words[3] |= 1 << 9;  // part 3, which the kind does not have
  EXPECT_EQ(kinds.records_after(part), 0u);
}

TEST_F(EventKindsTest, AFieldIsRegisteredOnce) {
  EXPECT_THAT([this] { kinds.add_field({.name = "bytes", .help = ""}); },
              ThrowsMessage<ConfigurationError>(HasSubstr("'bytes' is registered already")));
}

}  // namespace
}  // namespace eventspace
