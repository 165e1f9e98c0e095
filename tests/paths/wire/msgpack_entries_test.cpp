#include "paths/wire/msgpack_entries.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <msgpack.hpp>
#include <random>
#include <string>

#include "tests/tuplespace/octets.h"

namespace eventspace::msgpack_body {
namespace {

using test::Octets;
using test::octets;
using Type = Entries::Type;

/// The result of `read` for the only entry of an array, given in hexadecimal; nullopt if it is refused.
template <class Read>
auto entry(const std::string& hex, Read read) -> std::optional<std::invoke_result_t<Read, Entries&>> {
  const Octets bytes = octets("91 " + hex);
  try {
    Body body(bytes);
    Entries entries(body);
    auto value = read(entries);
    entries.expect_end();
    body.expect_end();
    return value;
  } catch (const BodyError&) {
    return std::nullopt;
  }
}
template <class Integer>
std::optional<Integer> integer(const std::string& hex) {
  return entry(hex, [](Entries& entries) { return entries.integer<Integer>(); });
}
std::optional<std::string> text(const std::string& hex) {
  return entry(hex, [](Entries& entries) { return std::string(entries.text()); });
}
std::optional<std::size_t> bytes(const std::string& hex) {
  return entry(hex, [](Entries& entries) { return entries.bytes().size(); });
}
std::optional<double> real(const std::string& hex) {
  return entry(hex, [](Entries& entries) { return entries.real(); });
}
std::optional<bool> boolean(const std::string& hex) {
  return entry(hex, [](Entries& entries) { return entries.boolean(); });
}

TEST(MsgpackEntriesTest, WholeNumbersOfEachFormatAreRead) {
  EXPECT_EQ(integer<std::int64_t>("00"), 0);
  EXPECT_EQ(integer<std::int64_t>("7f"), 127);
  EXPECT_EQ(integer<std::int64_t>("ff"), -1);
  EXPECT_EQ(integer<std::int64_t>("e0"), -32);
  EXPECT_EQ(integer<std::int64_t>("cc ff"), 255);
  EXPECT_EQ(integer<std::int64_t>("cd 01 02"), 0x0102);
  EXPECT_EQ(integer<std::int64_t>("ce 01 02 03 04"), 0x01020304);
  EXPECT_EQ(integer<std::uint64_t>("cf ff ff ff ff ff ff ff ff"), UINT64_MAX);
  EXPECT_EQ(integer<std::int64_t>("d0 80"), -128);
  EXPECT_EQ(integer<std::int64_t>("d0 05"), 5);
  EXPECT_EQ(integer<std::int64_t>("d1 80 00"), -32768);
  EXPECT_EQ(integer<std::int64_t>("d2 ff ff ff fe"), -2);
  EXPECT_EQ(integer<std::int64_t>("d3 80 00 00 00 00 00 00 00"), INT64_MIN);
}

TEST(MsgpackEntriesTest, WholeNumbersThatDoNotFitAreRefused) {
  EXPECT_EQ(integer<std::uint8_t>("cc ff"), 255);
  EXPECT_FALSE(integer<std::uint8_t>("cd 01 00"));
  EXPECT_FALSE(integer<std::uint8_t>("ff"));
  EXPECT_FALSE(integer<std::uint64_t>("d0 80"));
  EXPECT_FALSE(integer<std::int64_t>("cf 80 00 00 00 00 00 00 00"));
  EXPECT_EQ(integer<std::uint64_t>("d3 00 00 00 00 00 00 00 09"), 9u);
  EXPECT_FALSE(integer<std::int32_t>("d3 ff ff ff ff 00 00 00 00"));
}

TEST(MsgpackEntriesTest, TextsAndBytesOfEachFormatAreRead) {
  EXPECT_EQ(text("a0"), "");
  EXPECT_EQ(text("a2 68 69"), "hi");
  EXPECT_EQ(text("d9 02 68 69"), "hi");
  EXPECT_EQ(text("da 00 02 68 69"), "hi");
  EXPECT_EQ(text("db 00 00 00 02 68 69"), "hi");
  EXPECT_EQ(bytes("c4 00"), 0u);
  EXPECT_EQ(bytes("c5 00 01 07"), 1u);
  EXPECT_EQ(bytes("c6 00 00 00 01 07"), 1u);
}

TEST(MsgpackEntriesTest, RealsAndBooleansAreRead) {
  EXPECT_EQ(real("cb 3f f8 00 00 00 00 00 00"), 1.5);
  EXPECT_EQ(real("ca 3f c0 00 00"), 1.5);
  EXPECT_TRUE(std::isnan(real("cb 7f f8 00 00 00 00 00 00").value_or(0)));
  EXPECT_EQ(boolean("c2"), false);
  EXPECT_EQ(boolean("c3"), true);
}

TEST(MsgpackEntriesTest, NoTypeIsReadAsAnother) {
  const std::vector<std::pair<std::string, Type>> entries_of_each{
      {"90", Type::array},         {"dc 00 00", Type::array},      {"dd 00 00 00 00", Type::array},
      {"05", Type::integer},       {"ff", Type::integer},          {"d1 00 00", Type::integer},
      {"c3", Type::boolean},       {"ca 00 00 00 00", Type::real}, {"cb 00 00 00 00 00 00 00 00", Type::real},
      {"a0", Type::text},          {"d9 00", Type::text},          {"c4 00", Type::bytes},
      {"c0", Type::unknown},       {"c1", Type::unknown},          {"80", Type::unknown},
      {"de 00 00", Type::unknown}, {"c7 00 05", Type::unknown},    {"d4 05 00", Type::unknown}};
  for (const auto& [hex, type] : entries_of_each) {
    SCOPED_TRACE(hex);
    const auto array = entry(hex, [](Entries& entries) { return entries.array().left(); });
    EXPECT_EQ(array.has_value(), type == Type::array);
    EXPECT_EQ(integer<std::int64_t>(hex).has_value(), type == Type::integer);
    EXPECT_EQ(boolean(hex).has_value(), type == Type::boolean);
    EXPECT_EQ(real(hex).has_value(), type == Type::real);
    EXPECT_EQ(text(hex).has_value(), type == Type::text);
    EXPECT_EQ(bytes(hex).has_value(), type == Type::bytes);
    const Octets whole = octets("91 " + hex);
    Body body(whole);
    EXPECT_EQ(Entries(body).type(), type);
  }
}

TEST(MsgpackEntriesTest, NestedArraysAreReadOneAfterAnother) {
  const Octets bytes = octets("93 92 01 02 90 91 91 03");
  Body body(bytes);
  Entries entries(body);
  {
    Entries first = entries.array();
    EXPECT_EQ(first.left(), 2u);
    EXPECT_EQ(first.integer<int>(), 1);
    EXPECT_EQ(first.integer<int>(), 2);
    EXPECT_FALSE(first.more());
    EXPECT_THROW(first.integer<int>(), BodyError);
  }
  entries.array().expect_end();
  {
    Entries third = entries.array();
    EXPECT_EQ(third.array().integer<int>(), 3);
    third.expect_end();
  }
  EXPECT_NO_THROW(entries.expect_end());
  EXPECT_NO_THROW(body.expect_end());
}

TEST(MsgpackEntriesTest, UnreadEntriesAreNoEnd) {
  const Octets bytes = octets("91 01 02");
  Body body(bytes);
  Entries entries(body);
  EXPECT_THROW(entries.expect_end(), BodyError);
  EXPECT_EQ(entries.integer<int>(), 1);
  EXPECT_NO_THROW(entries.expect_end());
  EXPECT_THROW(body.expect_end(), BodyError);
}

// --- false sizes ------------------------------------------------------------------------------------

bool opens(const std::string& hex) {
  const Octets bytes = octets(hex);
  Body body(bytes);
  try {
    const Entries entries(body);
    return true;
  } catch (const BodyError&) {
    return false;
  }
}

TEST(MsgpackEntriesTest, ArraysOfMoreEntriesThanBytesAreRefused) {
  EXPECT_TRUE(opens("92 01 02"));
  EXPECT_FALSE(opens("93 01 02"));
  EXPECT_FALSE(opens("dc ff ff 01 02"));
  EXPECT_FALSE(opens("dd ff ff ff ff 01 02"));
  EXPECT_FALSE(opens("dd 00 00"));
  EXPECT_FALSE(opens("dc"));
  EXPECT_FALSE(opens(""));
}

TEST(MsgpackEntriesTest, TextsAndBytesBeyondTheEndAreRefused) {
  for (const char* lie : {"a1", "d9 01", "d9", "da 00 01", "da 00", "db ff ff ff ff 00", "db ff ff ff"})
    EXPECT_FALSE(text(lie)) << lie;
  for (const char* lie : {"c4 01", "c4", "c5 00 01", "c6 ff ff ff ff 00", "c6 00 00 00"})
    EXPECT_FALSE(bytes(lie)) << lie;
}

TEST(MsgpackEntriesTest, NumbersThatAreCutOffAreRefused) {
  for (std::string hex : {"cc 01", "cd 01 02", "ce 01 02 03 04", "cf 01 02 03 04 05 06 07 08", "d0 01",
                          "d1 01 02", "d2 01 02 03 04", "d3 01 02 03 04 05 06 07 08"}) {
    EXPECT_TRUE(integer<std::int64_t>(hex)) << hex;
    while (hex.size() > 2) {
      hex.resize(hex.size() - 3);
      EXPECT_FALSE(integer<std::int64_t>(hex)) << hex;
    }
  }
  EXPECT_FALSE(real("cb 3f f8 00 00 00 00 00"));
  EXPECT_FALSE(real("ca 3f c0 00"));
}

TEST(MsgpackEntriesTest, NestingBeyondTheLimitIsRefused) {
  const auto opens_three = [](std::size_t depth) {
    const Octets bytes = octets("92 91 90 91 90");  // two nested arrays: a closed one does not count
    Body body(bytes, depth);
    try {
      Entries outer(body);
      for (int i = 0; i < 2; ++i) outer.array().array().expect_end();
      return true;
    } catch (const BodyError&) {
      return false;
    }
  };
  EXPECT_TRUE(opens_three(3));
  EXPECT_FALSE(opens_three(2));
}

// --- compared with msgpack-cxx ----------------------------------------------------------------------

TEST(MsgpackEntriesTest, AllOutputOfThePackerIsRead) {
  const unsigned seed = std::random_device{}();
  SCOPED_TRACE(testing::Message() << "seed " << seed);
  std::mt19937_64 random(seed);
  for (int round = 0; round < 20'000; ++round) {
    const std::uint64_t number = random() >> (random() % 64);
    const auto signed_number = static_cast<std::int64_t>(random()) >> (random() % 64);
    const std::string word(random() % 300, 'x');
    const double fraction = std::ldexp(static_cast<double>(number | 1), -65);  // packed as a real, unlike 1.0
    msgpack::sbuffer whole;
    msgpack::packer<msgpack::sbuffer> packer(whole);
    packer.pack_array(5).pack(number).pack(signed_number).pack(word);
    packer.pack_bin(static_cast<std::uint32_t>(word.size()));
    packer.pack_bin_body(word.data(), static_cast<std::uint32_t>(word.size()));
    packer.pack(fraction);
    const Octets bytes = test::octets_of({whole.data(), whole.size()});
    Body body(bytes);
    Entries entries(body);
    ASSERT_EQ(entries.integer<std::uint64_t>(), number);
    ASSERT_EQ(entries.integer<std::int64_t>(), signed_number);
    ASSERT_EQ(entries.text(), word);
    ASSERT_EQ(entries.bytes().size(), word.size());
    ASSERT_EQ(entries.real(), fraction);
    body.expect_end();
  }
}

}  // namespace
}  // namespace eventspace::msgpack_body
