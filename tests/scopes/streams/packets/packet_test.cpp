#include <eventspace/packet.h>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
#include <string>

#include "tests/error_text.h"
// Packets: written values are read in place, and invalid bytes are refused with a reason.

namespace eventspace::streams {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

template <class Act>
std::string refusal(Act act) {
  return eventspace::test::error_text<PacketError>(act);
}

const std::vector<double> samples{0.5, -1.0, 1e300};

Packet example() {
  PacketWriter writer(*parse_signature("i8 u64 f32 text f64[] u16[] text[]"));
  writer.number(std::int8_t{-3});
  writer.number(std::numeric_limits<std::uint64_t>::max());
  writer.number(1.5F);
  writer.text("über");
  writer.array(std::span<const double>(samples));
  writer.array(std::span<const std::uint16_t>());
  writer.texts(std::vector<std::string_view>{"", "a", "nine bytes"});
  return writer.finish(42);
}

void expect_example(const PacketView& view) {
  EXPECT_EQ(to_string(view.signature()), "i8 u64 f32 text f64[] u16[] text[]");
  EXPECT_EQ(view.number<std::int8_t>(0), -3);
  EXPECT_EQ(view.number<std::uint64_t>(1), std::numeric_limits<std::uint64_t>::max());
  EXPECT_EQ(view.number<float>(2), 1.5F);
  EXPECT_EQ(view.text(3), "über");
  EXPECT_TRUE(std::ranges::equal(view.array<double>(4), samples));
  EXPECT_TRUE(view.array<std::uint16_t>(5).empty());
  EXPECT_THAT(view.texts(6), ElementsAre("", "a", "nine bytes"));
}

TEST(PacketTest, ValuesAreReadAsTheyWereWritten) {
  const Packet packet = example();
  EXPECT_EQ(packet.tag, 42);
  expect_example(PacketView(packet));
}

TEST(PacketTest, ArraysAreReadWhereTheyAre) {
  const Packet packet = example();
  const PacketView view(packet);
  const auto* const first = reinterpret_cast<const std::byte*>(view.array<double>(4).data());
  EXPECT_GE(first, packet.body.data());
  EXPECT_LT(first, packet.body.data() + packet.body.size());
}

// The bytes as written by a machine of the other byte order.
std::vector<std::byte> foreign(const Packet& packet) {
  std::vector<std::byte> bytes(packet.body.begin(), packet.body.end());
  const auto swap = [&](std::size_t at, std::size_t width) {
    std::reverse(bytes.begin() + static_cast<std::ptrdiff_t>(at),
                 bytes.begin() + static_cast<std::ptrdiff_t>(at + width));
  };
  bytes[1] = bytes[1] == std::byte{1} ? std::byte{2} : std::byte{1};
  swap(2, 2);
  const std::size_t values = 16;  // 7 types
  swap(values + 8, 8);            // u64
  swap(values + 16, 4);           // f32
  swap(values + 24, 8);           // length of the text, 5 bytes
  swap(values + 40, 8);           // count of f64[]
  for (std::size_t i = 0; i < 3; ++i) swap(values + 48 + 8 * i, 8);
  swap(values + 72, 8);   // count of u16[]
  swap(values + 80, 8);   // count of text[]
  swap(values + 88, 8);   // ""
  swap(values + 96, 8);   // "a"
  swap(values + 112, 8);  // "nine bytes"
  return bytes;
}

TEST(PacketTest, APacketOfTheOtherByteOrderIsConverted) {
  const std::vector<std::byte> bytes = foreign(example());
  expect_example(PacketView(Bytes(bytes)));
}

TEST(PacketTest, ABodyAtAnyAddressIsRead) {
  const Packet packet = example();
  std::vector<std::byte> moved(packet.body.size() + 8);
  for (std::size_t at = 0; at < 8; ++at) {
    std::ranges::copy(packet.body, moved.begin() + static_cast<std::ptrdiff_t>(at));
    expect_example(PacketView(Bytes(moved.data() + at, packet.body.size())));
  }
}

TEST(PacketTest, AnEmptyPacketIsAPacket) {
  const Packet packet = Format<>::make(7);
  EXPECT_EQ(PacketView(packet).size(), 0u);
}

TEST(PacketTest, AccessWithAnotherTypeSaysWhatThereIs) {
  const Packet packet = example();
  const PacketView view(packet);
  EXPECT_EQ(refusal([&] { (void)view.number<double>(0); }),
            "value 0 of a packet (i8 u64 f32 text f64[] u16[] text[]) is read as f64");
  EXPECT_THAT(refusal([&] { (void)view.text(7); }), HasSubstr("has no value 7"));
}

TEST(PacketTest, AWriterRefusesValuesThatTheSignatureDoesNotHave) {
  PacketWriter writer(*parse_signature("i32 f64[]"));
  EXPECT_EQ(refusal([&] { writer.number(1.0); }), "value 0 of a packet (i32 f64[]) is given as f64");
  writer.number(1);
  EXPECT_EQ(refusal([&] { (void)writer.finish(); }), "a packet (i32 f64[]) has only 1 of its values");
  EXPECT_THAT(refusal([] { PacketWriter(Signature(max_values + 1, ValueType::i32)); }),
              HasSubstr("at most 64 values"));
}

TEST(PacketTest, AWriterThatHasFinishedTakesNothingMore) {
  PacketWriter writer(*parse_signature("i32"));
  writer.number(1);
  (void)writer.finish();
  EXPECT_THAT(refusal([&] { writer.number(2); }), HasSubstr("has no value 1"));
}

TEST(PacketTest, APacketThatGetsTooLargeIsRefused) {
  const std::string text(max_packet_bytes, 'x');
  EXPECT_THAT(refusal([&] { (void)Format<std::string_view>::make(0, text); }), HasSubstr("exceeds 16777216"));
}

TEST(PacketTest, CutAtAnyByteItIsRefused) {
  const Packet packet = example();
  const std::vector<std::byte> native(packet.body.begin(), packet.body.end());
  for (const std::vector<std::byte>& whole : {native, foreign(packet)}) {
    for (std::size_t size = 0; size < whole.size(); ++size) {
      const std::vector<std::byte> cut(whole.begin(), whole.begin() + static_cast<std::ptrdiff_t>(size));
      EXPECT_NE(refusal([&] { PacketView view{Bytes(cut)}; }), "") << size;
    }
  }
}

TEST(PacketTest, AnyFlippedBitIsReadOrRefused) {
  const Packet packet = example();
  std::vector<std::byte> flipped(packet.body.begin(), packet.body.end());
  for (std::size_t bit = 0; bit < 8 * flipped.size(); ++bit) {
    const auto mask = static_cast<std::byte>(1 << (bit % 8));
    flipped[bit / 8] ^= mask;
    (void)refusal([&] {
      const PacketView view{Bytes(flipped)};
      for (std::size_t i = 0; i < view.size(); ++i) (void)view.count(i);
    });
    flipped[bit / 8] ^= mask;
  }
}

// --- Format -------------------------------------------------------------------------------------------

using Sample = Format<std::int32_t, std::span<const double>, std::string_view>;

TEST(FormatTest, BothEndsUseOneListOfTypes) {
  const Packet packet = Sample::make(1, 7, samples, "north");
  const Sample::Read read(packet);
  const auto [number, values, name] = read.values();
  EXPECT_EQ(number, 7);
  EXPECT_TRUE(std::ranges::equal(values, samples));
  EXPECT_EQ(name, "north");
}

TEST(FormatTest, AnotherSignatureIsRefusedByName) {
  const Packet packet = Format<std::int64_t>::make(1, 7);
  EXPECT_EQ(refusal([&] { Sample::Read read(packet); }),
            "the packet holds (i64), but (i32 f64[] text) was expected");
  EXPECT_FALSE(Sample::matches(PacketView(packet)));
}

TEST(SignatureTest, TextsAreReadAndWritten) {
  for (const char* const text : {"", "i32", "i8 u8[] text[] f32"})
    EXPECT_EQ(to_string(*parse_signature(text)), text);
  EXPECT_EQ(to_string(*parse_signature("  i32   f64[] ")), "i32 f64[]");
  for (const char* const text : {"int", "i32[", "[]", "i32,f64"}) EXPECT_FALSE(parse_signature(text)) << text;
}

}  // namespace
}  // namespace eventspace::streams
