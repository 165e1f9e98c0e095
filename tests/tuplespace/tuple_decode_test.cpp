#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <eventspace/error.h>
#include <eventspace/tuple.h>
#include "tests/tuplespace/octets.h"

namespace eventspace {
namespace {

using test::octets;
using test::Octets;
using testing::HasSubstr;
using testing::ThrowsMessage;

struct Hostile {
  const char* name;
  const char* hex;
  const char* complaint;
};

const Hostile hostile[] = {
    {"Nothing", "", "of 0 octets ends too early, at offset 0"},
    {"BareInteger", "01", "is int, not an array"},
    {"BareText", "a1 61", "is text, not an array"},
    {"BareNil", "c0", "is nil, not an array"},
    {"BareMap", "80", "is a map, not an array"},
    {"NilField", "91 c0", "has nil as a field, at offset 1"},
    {"NestedArray", "92 01 90", "has an array as a field, at offset 2"},
    {"DeeplyNestedArrays", "91 91 91 91 91 91 91 91 91 91 91 91", "has an array as a field, at offset 1"},
    {"MapField", "91 81 01 02", "has a map as a field, at offset 1"},
    {"EmptyMapField", "91 80", "has a map as a field"},
    {"FixedExtension", "91 d4 01 02", "extension"},
    {"Extension8", "91 c7 01 05 00", "extension"},
    {"Extension32OfMaximalLength", "91 c9 ff ff ff ff 05 00", "ends too early"},
    {"Float32", "91 ca 3f 80 00 00", "32-bit float"},
    {"UnusedOctet", "91 c1", "starts no value"},
    {"TrailingOctet", "91 01 02", "has octets after its end, at offset 2"},
    {"TwoArrays", "91 01 91 01", "has octets after its end"},
    {"EmptyArrayAndMore", "90 90", "has octets after its end, at offset 1"},
    {"ArrayLongerThanItsContent", "93 01 02", "ends too early, at offset 3"},
    {"Array16OfTooManyFields", "dc 00 41", "announces 65 fields, more than 64"},
    {"Array32OfFourBillionFields", "dd ff ff ff ff 01", "announces 4294967295 fields"},
    {"IntegerOf2To63", "91 cf 80 00 00 00 00 00 00 00", "has the integer 9223372036854775808"},
    {"IntegerOf2To64Less1", "91 cf ff ff ff ff ff ff ff ff", "has the integer 18446744073709551615"},
    {"TextLongerThanItsContent", "91 d9 05 61 62", "ends too early"},
    {"Text32OfFourGigabytes", "91 db ff ff ff ff 61", "ends too early"},
    {"Bytes32OfFourGigabytes", "91 c6 ff ff ff ff 61", "ends too early"},
};

class HostileTuple : public testing::TestWithParam<Hostile> {};

TEST_P(HostileTuple, IsRefusedWithAReasonAndAnOffset) {
  const Octets encoded = octets(GetParam().hex);
  EXPECT_THAT([&] { Tuple::decode(encoded); },
              ThrowsMessage<ConfigurationError>(
                  testing::AllOf(HasSubstr(GetParam().complaint), HasSubstr("at offset "))));
}

INSTANTIATE_TEST_SUITE_P(Table, HostileTuple, testing::ValuesIn(hostile),
                         [](const auto& row) { return row.param.name; });

Octets one_of_each() {
  const Octets blob(300, std::byte{7});
  const Tuple tuple =
      Tuple::of({true, std::int64_t{1} << 40, 0.5, std::string_view("north"), Bytes(blob), std::int64_t{-3}});
  return {tuple.encoded().begin(), tuple.encoded().end()};
}

TEST(TupleDecodeTest, TruncatedAtAnyOctetIsRefused) {
  const Octets whole = one_of_each();
  for (std::size_t size = 0; size < whole.size(); ++size) {
    const Octets part(whole.begin(), whole.begin() + static_cast<std::ptrdiff_t>(size));
    EXPECT_THAT([&] { Tuple::decode(part); }, ThrowsMessage<ConfigurationError>(HasSubstr("ends too early")));
  }
}

TEST(TupleDecodeTest, KeepsTheBytesAsTheyCame) {
  const Octets wide_headers = octets("dd 00 00 00 03 cf 7f ff ff ff ff ff ff ff da 00 01 61 c6 00 00 00 00");
  const Tuple tuple = Tuple::decode(wide_headers);
  EXPECT_EQ(test::hex(tuple.encoded()), test::hex(wide_headers));
  EXPECT_EQ(tuple.get<std::int64_t>(0), INT64_MAX);
  EXPECT_EQ(tuple.get<std::string_view>(1), "a");
  EXPECT_TRUE(tuple.get<Bytes>(2).empty());
}

TEST(TupleDecodeTest, EmptyTextAndBytesAreFields) {
  const Tuple tuple = Tuple::decode(octets("92 a0 c4 00"));
  EXPECT_EQ(tuple.signature().to_string(), "(text, bytes)");
  EXPECT_EQ(tuple.get<std::string_view>(0), "");
}

TEST(TupleDecodeTest, SixtyFourFieldsAreNotTooMany) {
  Octets encoded = octets("dc 00 40");
  encoded.resize(encoded.size() + 64, std::byte{0xc3});
  EXPECT_EQ(Tuple::decode(encoded).field_count(), 64u);
}

}  // namespace
}  // namespace eventspace
