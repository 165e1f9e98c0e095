#include "scopes/streams/frame.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <eventspace/error.h>
#include <eventspace/packet.h>
#include <eventspace/streams.h>
#include "scopes/streams/stream_options_layout.h"
#include "tests/paths/wire/layout_test.h"

// Messages between processes: appended frames are read, and all other bytes are refused.

namespace eventspace::streams {
namespace {

std::vector<std::byte> frames_of_all_sorts() {
  std::vector<std::byte> message;
  Frame packet{.kind = FrameKind::data, .stream = 7, .packet = Format<std::int32_t>::make(-3, 5)};
  packet.packet.wave = 12;
  packet.packet.ranks = *RankSet::parse("1-3,9");
  packet.packet.made_by = 3;
  append(message, packet);
  append(message, {.kind = FrameKind::credit, .stream = 7, .number = 1ULL << 40, .bytes = 1ULL << 50});
  append(message, {.kind = FrameKind::welcome, .packet = {.ranks = RankSet::of_range(4, 4)}});
  return message;
}

TEST(FrameTest, FramesOfAMessageAreReadInOrder) {
  const auto frames = read_frames(frames_of_all_sorts());
  ASSERT_TRUE(frames);
  ASSERT_EQ(frames->size(), 3u);
  const Frame& packet = frames->at(0);
  EXPECT_EQ(packet.kind, FrameKind::data);
  EXPECT_EQ(packet.stream, 7u);
  EXPECT_EQ(packet.packet.tag, -3);
  EXPECT_EQ(packet.packet.wave, 12u);
  EXPECT_EQ(packet.packet.ranks.to_text(), "1-3,9");
  EXPECT_EQ(packet.packet.made_by, 3);
  EXPECT_EQ(PacketView(packet.packet).number<std::int32_t>(0), 5);
  EXPECT_EQ(frames->at(1).number, 1ULL << 40);
  EXPECT_EQ(frames->at(1).bytes, 1ULL << 50);
  EXPECT_FALSE(frames->at(1).packet.combined);
  EXPECT_EQ(frames->at(2).packet.ranks.to_text(), "4");
}

TEST(FrameTest, AMessageThatIsCutOffOrHasAnUnknownKindIsRefusedWhole) {
  const std::vector<std::byte> message = frames_of_all_sorts();
  std::size_t read = 0;
  for (std::size_t size = 1; size < message.size(); ++size) {
    const std::vector<std::byte> cut(message.begin(), message.begin() + static_cast<std::ptrdiff_t>(size));
    if (read_frames(cut)) ++read;
  }
  EXPECT_EQ(read, 2u) << "between the frames";
  std::vector<std::byte> unknown = message;
  unknown[0] = std::byte{99};
  EXPECT_FALSE(read_frames(unknown));
}

TEST(FrameTest, EndpointsTravelAndTooManyOrTooLongOnesAreRefused) {
  const std::vector<std::string> endpoints{"ipc:///tmp/x", "tcp://host:7000"};
  EXPECT_EQ(decode_endpoints(encode_endpoints(endpoints)), endpoints);
  using Texts = Format<std::vector<std::string_view>>;
  EXPECT_THROW((void)decode_endpoints(Texts::make(0, std::vector<std::string_view>(max_levels + 1, "x"))),
               PacketError);
  const std::string too_long(longest_endpoint + 1, 'x');
  EXPECT_THROW((void)decode_endpoints(Texts::make(0, {too_long})), PacketError);
  EXPECT_THROW((void)decode_endpoints({}), PacketError);
}

TEST(FrameTest, AnyFlippedBitIsReadOrRefused) {
  std::vector<std::byte> message = frames_of_all_sorts();
  for (std::size_t bit = 0; bit < 8 * message.size(); ++bit) {
    const auto mask = static_cast<std::byte>(1 << (bit % 8));
    message[bit / 8] ^= mask;
    (void)read_frames(message);
    message[bit / 8] ^= mask;
  }
}

TEST(StreamOptionsTest, OptionsTravelWithTheirFilters) {
  StreamOptions options;
  options.synchronise = Synchronise::time_out;
  options.time_out = std::chrono::milliseconds(3);
  options.when_full = WhenFull::drop_newest;
  options.window = 9;
  options.window_bytes = 77;
  options.up = {{"top",
                 {{"k", std::int64_t{4}},
                  {"b", true},
                  {"r", -0.1},
                  {"t", std::string("a\nb")},
                  {"d", std::chrono::nanoseconds(5)},
                  {"l", std::vector<std::string>{"", "x"}},
                  {"many", std::vector<std::string>(1000, "x")}}},
                {"sum", {}}};
  options.down = {{"min", {}, "/lib/filters.so", *RankSet::parse("1-3,9"), std::chrono::milliseconds(7)}};
  options.rule = {"majority", {{"share", 0.5}}};
  const StreamOptions read = decode_options(encode(options));
  EXPECT_EQ(read.synchronise, options.synchronise);
  EXPECT_EQ(read.time_out, options.time_out);
  EXPECT_EQ(read.when_full, options.when_full);
  EXPECT_EQ(read.window, options.window);
  EXPECT_EQ(read.window_bytes, options.window_bytes);
  ASSERT_EQ(read.up.size(), 2u);
  EXPECT_EQ(read.up[0].name, "top");
  EXPECT_EQ(read.up[0].parameters, options.up[0].parameters);
  EXPECT_EQ(read.up[1].name, "sum");
  ASSERT_EQ(read.down.size(), 1u);
  const FilterUse& down = read.down[0];
  EXPECT_EQ(down.name, "min");
  EXPECT_EQ(down.library, "/lib/filters.so");
  EXPECT_EQ(down.processes.to_text(), "1-3,9");
  EXPECT_EQ(down.limit, std::chrono::milliseconds(7));
  EXPECT_EQ(read.rule.name, "majority");
  EXPECT_EQ(read.rule.parameters, options.rule.parameters);
}

TEST(StreamOptionsTest, OptionsThatAreOutOfRangeAreRefused) {
  StreamOptions options;
  options.window = 0;
  EXPECT_THROW((void)decode_options(encode(options)), PacketError);
  options.window = StreamOptions::max_window + 1;
  EXPECT_THROW((void)decode_options(encode(options)), PacketError);
  options.window = 1;
  options.window_bytes = 0;
  EXPECT_THROW((void)decode_options(encode(options)), PacketError);
  options.window_bytes = StreamOptions::max_window_bytes + 1;
  EXPECT_THROW((void)decode_options(encode(options)), PacketError);
  options.window_bytes = 1;
  options.time_out = std::chrono::nanoseconds(-1);
  EXPECT_THROW((void)decode_options(encode(options)), PacketError);
  options.time_out = {};
  EXPECT_NO_THROW((void)decode_options(encode(options)));
  options.up = {{.name = "sum", .limit = FilterUse::max_limit + std::chrono::nanoseconds(1)}};
  EXPECT_THROW((void)decode_options(encode(options)), PacketError);
  options.up = {{.name = "sum", .library = "/" + std::string(FilterUse::longest_library, 'x')}};
  EXPECT_THROW((void)decode_options(encode(options)), PacketError);
  options.up.assign(StreamOptions::max_filters + 1, {.name = "sum"});
  EXPECT_THROW((void)decode_options(encode(options)), PacketError);
  EXPECT_THROW((void)decode_options(Format<std::int32_t>::make(0, 1)), PacketError);
}

// Ranges that touch, overlap or descend would have a second encoding.
TEST(StreamOptionsTest, RankRangesAreReadInOneFormOnly) {
  const auto is_read = [](const std::vector<std::uint32_t>& ends) {
    return wire::decoded<RankSet, wire::RankRanges>(wire::encoded(ends)).has_value();
  };
  EXPECT_TRUE(is_read({}));
  EXPECT_TRUE(is_read({0, 3, 5, RankSet::most}));
  for (const std::vector<std::uint32_t>& ends : {std::vector<std::uint32_t>{3},
                                                 {3, 2},
                                                 {0, 3, 4, 5},
                                                 {0, 3, 2, 5},
                                                 {4, 5, 0, 1},
                                                 {0, RankSet::most + 1},
                                                 {0, RankSet::most, RankSet::most, RankSet::most}})
    EXPECT_FALSE(is_read(ends)) << testing::PrintToString(ends);
}

}  // namespace
}  // namespace eventspace::streams

namespace eventspace::test {

using StreamTypes = testing::Types<streams::StreamOptions, streams::FilterUse>;
INSTANTIATE_TYPED_TEST_SUITE_P(Streams, LayoutTest, StreamTypes);

}  // namespace eventspace::test
