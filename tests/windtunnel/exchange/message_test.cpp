#include "apps/windtunnel/exchange/message.h"

#include <gtest/gtest.h>

#include <stdexcept>

#include "apps/windtunnel/exchange/packing.h"

namespace eventspace::windtunnel {
namespace {

const TunnelConfig kTunnel{.n = 96, .seed = 3};

template <class Content>
Content there_and_back(const Content& content) {
  const auto tuple = to_tuple({17, 250}, content);
  EXPECT_EQ(sender_of(tuple).thread, 17U);
  EXPECT_EQ(sender_of(tuple).steps_done, 250U);
  return std::get<Content>(message_of(tuple, kTunnel));
}

TEST(Packing, KeepsEveryNumber) {
  for (const std::uint64_t number : {0ULL, 1ULL, 127ULL, 128ULL, 300ULL, ~0ULL}) {
    Packer out;
    out.add(number);
    EXPECT_EQ(Unpacker(out.bytes()).next(), number);
  }
  for (const std::int64_t number :
       {INT64_MIN, std::int64_t{-1}, std::int64_t{0}, std::int64_t{64}, INT64_MAX}) {
    Packer out;
    out.add_signed(number);
    EXPECT_EQ(Unpacker(out.bytes()).next_signed(), number);
  }
}

TEST(Packing, RefusesANumberThatIsCutShort) {
  Packer out;
  out.add(300);
  Unpacker in(out.bytes().first(1));
  EXPECT_THROW(in.next(), std::invalid_argument);
}

TEST(Message, KeepsSettings) {
  const Settings settings{{.n = 512, .obstacle = Obstacle::plate, .seed = 99}, 1234, 56};
  EXPECT_EQ(there_and_back(Hello{settings}).settings, settings);
}

TEST(Message, KeepsAPartOfAPicture) {
  const auto field = sample(Slice(kTunnel, {20, 43}), 8);
  const auto back = there_and_back(FramePart{field}).field;
  EXPECT_EQ(back.rows(), field.rows());
  EXPECT_TRUE(std::ranges::equal(back.cells(), field.cells()));
}

TEST(Message, KeepsThePartAtTheEndOfTheTunnel) {
  const auto field = sample(Slice(kTunnel, {90, 96}), 40);
  EXPECT_EQ(there_and_back(FramePart{field}).field.rows(), field.rows());
}

TEST(Message, KeepsAResult) {
  const SliceResult result{{1, -2, 3}, {4, 5, -6}, {7, 8}, ~0ULL};
  const auto back = there_and_back(result);
  EXPECT_EQ(back.before, result.before);
  EXPECT_EQ(back.after, result.after);
  EXPECT_EQ(back.flow, result.flow);
  EXPECT_EQ(back.checksum, result.checksum);
}

TEST(Message, IsRefusedWhenItIsNone) {
  const auto tuple_of = [](Bytes bytes) { return Tuple::of({std::int64_t{0}, std::int64_t{0}, bytes}); };
  const std::array<std::byte, 2> unknown = {std::byte{9}, std::byte{0}};
  EXPECT_THROW(message_of(tuple_of(unknown), kTunnel), std::invalid_argument);
  EXPECT_THROW(message_of(tuple_of(Bytes{}), kTunnel), std::invalid_argument);
}

}  // namespace
}  // namespace eventspace::windtunnel
