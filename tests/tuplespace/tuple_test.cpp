#include <eventspace/tuple.h>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include <eventspace/error.h>
#include "tests/tuplespace/octets.h"

namespace eventspace {
namespace {

using test::hex;
using test::octets;
using test::octets_of;
using testing::HasSubstr;
using testing::ThrowsMessage;
using Integer = std::int64_t;
using Limits = std::numeric_limits<Integer>;

constexpr double infinity = std::numeric_limits<double>::infinity();
constexpr double nan_value = std::numeric_limits<double>::quiet_NaN();

Tuple through_the_wire(const Tuple& tuple) { return Tuple::decode(tuple.encoded()); }

TEST(FieldTypeTest, WordsAreThoseOfPathmaps) {
  for (const std::string_view word : {"bool", "int", "float", "text", "bytes"})
    EXPECT_EQ(to_string(field_type_from(word).value()), word);
  EXPECT_EQ(field_type_from("integer"), std::nullopt);
  EXPECT_EQ(field_type_from(""), std::nullopt);
}

TEST(SignatureTest, ReadsAsInAPathmap) {
  EXPECT_EQ((Signature{FieldType::integer, FieldType::bytes}.to_string()), "(int, bytes)");
  EXPECT_EQ(Signature{}.to_string(), "()");
}

TEST(TupleTest, FieldsComeBackAsTheyWentIn) {
  const test::Octets pixels = octets("00 ff 7f");
  const Tuple tuple = Tuple::of({true, Integer{-7}, 2.5, "north", Bytes(pixels)});
  EXPECT_EQ(tuple.field_count(), 5u);
  EXPECT_TRUE(tuple.get<bool>(0));
  EXPECT_EQ(tuple.get<Integer>(1), -7);
  EXPECT_EQ(tuple.get<double>(2), 2.5);
  EXPECT_EQ(tuple.get<std::string_view>(3), "north");
  EXPECT_EQ(hex(tuple.get<Bytes>(4)), "00 ff 7f");
  EXPECT_EQ(tuple.signature().to_string(), "(bool, int, float, text, bytes)");
}

TEST(TupleTest, CopiesOutliveWhatTheyWereMadeOf) {
  Tuple copy;
  {
    std::string text(1000, 'x');
    const Tuple tuple = Tuple::of({std::string_view(text)});
    copy = tuple;
    text.assign(1000, 'y');
  }
  EXPECT_EQ(copy.get<std::string_view>(0), std::string(1000, 'x'));
}

TEST(TupleTest, EveryIntegerSurvivesTheWire) {
  for (const Integer value : {Integer{0}, Integer{127}, Integer{128}, Integer{255}, Integer{256},
                              Integer{65535}, Integer{65536}, Integer{-1}, Integer{-32}, Integer{-33},
                              Integer{-129}, Integer{-32769}, Limits::max(), Limits::min()})
    EXPECT_EQ(through_the_wire(Tuple::of({value})).get<Integer>(0), value);
}

TEST(TupleTest, EveryRealSurvivesTheWireAsAReal) {
  for (const double value :
       {0.0, 1.0, -1.0, 3.0e300, 0.1, 5e-324, infinity, -infinity, 18446744073709551616.0})
    EXPECT_EQ(through_the_wire(Tuple::of({value})).get<double>(0), value);
  EXPECT_TRUE(std::isnan(through_the_wire(Tuple::of({nan_value})).get<double>(0)));
  EXPECT_TRUE(std::signbit(through_the_wire(Tuple::of({-0.0})).get<double>(0)));
}

TEST(TupleTest, TextsAndBytesOfEveryHeaderSizeSurviveTheWire) {
  for (const std::size_t size : {0u, 1u, 31u, 32u, 255u, 256u, 65535u, 65536u, 1000000u}) {
    const std::string text(size, 't');
    const Tuple tuple = through_the_wire(Tuple::of({std::string_view(text), Bytes(octets_of(text)), true}));
    EXPECT_EQ(tuple.get<std::string_view>(0), text);
    EXPECT_EQ(tuple.get<Bytes>(1).size(), size);
    EXPECT_TRUE(tuple.get<bool>(2));
  }
}

TEST(TupleTest, TakesUpToMaxFields) {
  const std::vector<Field> most(Signature::max_fields, Field(Integer{1}));
  EXPECT_EQ(through_the_wire(Tuple::of(most)).field_count(), Signature::max_fields);
  const std::vector<Field> more(Signature::max_fields + 1, Field(Integer{1}));
  EXPECT_THAT([&] { Tuple::of(more); },
              ThrowsMessage<ConfigurationError>(HasSubstr("65 fields; at most 64")));
}

TEST(TupleTest, EmptyHasNoFieldsAndNoBytes) {
  const Tuple empty;
  EXPECT_TRUE(empty.empty());
  EXPECT_EQ(empty.field_count(), 0u);
  EXPECT_TRUE(empty.encoded().empty());
  EXPECT_TRUE(empty.has_signature(Signature{}));
  EXPECT_EQ(empty, Tuple::of({}));
  EXPECT_FALSE(Tuple::of({}).empty());
}

TEST(TupleTest, WrongTypeSaysWhatIsThere) {
  const Tuple tuple = Tuple::of({"a", Integer{1}});
  EXPECT_THAT(
      [&] { (void)tuple.get<double>(1); },
      ThrowsMessage<ConfigurationError>(HasSubstr("field 1 of a tuple (text, int) is int, not float")));
  EXPECT_THAT([&] { (void)tuple.field(2); },
              ThrowsMessage<ConfigurationError>(HasSubstr("no field 2 in a tuple (text, int)")));
  EXPECT_THROW((void)Tuple().field(0), ConfigurationError);
}

TEST(TupleTest, SignatureIsCheckedFieldByField) {
  const Tuple tuple = Tuple::of({Integer{1}, "a"});
  EXPECT_TRUE(tuple.has_signature({FieldType::integer, FieldType::text}));
  EXPECT_FALSE(tuple.has_signature({FieldType::integer}));
  EXPECT_FALSE(tuple.has_signature({FieldType::integer, FieldType::bytes}));
  EXPECT_FALSE(tuple.has_signature({FieldType::integer, FieldType::text, FieldType::text}));
}

TEST(TupleTest, EqualityIsOfValuesNotOfEncodings) {
  EXPECT_EQ(Tuple::decode(octets("91 d3 00 00 00 00 00 00 00 05")), Tuple::of({Integer{5}}));
  EXPECT_EQ(Tuple::of({nan_value}), Tuple::of({nan_value}));
  EXPECT_EQ(Tuple::of({0.0}), Tuple::of({-0.0}));
  EXPECT_NE(Tuple::of({1.0}), Tuple::of({Integer{1}}));
  EXPECT_NE(Tuple::of({"a"}), Tuple::of({"b"}));
  EXPECT_NE(Tuple::of({"a"}), Tuple::of({"a", "a"}));
}

TEST(TemplateTest, FormalMatchesTheTypeAndActualTheValue) {
  const Tuple tuple = Tuple::of({"north", Integer{3}});
  EXPECT_TRUE((Template{FieldType::text, FieldType::integer}.matches(tuple)));
  EXPECT_TRUE((Template{"north", FieldType::integer}.matches(tuple)));
  EXPECT_TRUE((Template{FieldType::text, Integer{3}}.matches(tuple)));
  EXPECT_FALSE((Template{"south", FieldType::integer}.matches(tuple)));
  EXPECT_FALSE((Template{FieldType::text, 3.0}.matches(tuple)));
  EXPECT_FALSE((Template{FieldType::bytes, FieldType::integer}.matches(tuple)));
  EXPECT_FALSE((Template{FieldType::text}.matches(tuple)));
  EXPECT_FALSE(Template{}.matches(tuple));
}

TEST(TemplateTest, ActualsOfEveryType) {
  const test::Octets blob = octets("01 02");
  const Tuple tuple = Tuple::of({false, Integer{3}, nan_value, "t", Bytes(blob)});
  const Template same{false, Integer{3}, nan_value, "t", blob};
  EXPECT_TRUE(same.matches(tuple));
  EXPECT_EQ(same.signature(), tuple.signature());
  EXPECT_TRUE(same.has_signature(tuple.signature()));
  EXPECT_FALSE((Template{false, Integer{3}, nan_value, "t", octets("01 03")}.matches(tuple)));
}

}  // namespace
}  // namespace eventspace
