#include <gtest/gtest.h>
#include <malloc.h>

#include <chrono>
#include <random>

#include "paths/msgpack_body.h"
#include "tests/paths/wire_talk.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);

namespace eventspace {
namespace {

/// Good messages of every kind with some bytes changed, cut off or added.
class Mutations {
 public:
  explicit Mutations(unsigned seed) : random_(seed), good_(test::good_messages()) {}

  wire::Message next() {
    wire::Message message = good_[below(good_.size())];
    for (std::size_t change = 1 + below(4); change > 0; --change) message[anywhere(message)] = byte();
    if (below(8) == 0) message.resize(wire::header_bytes + below(message.size()));
    if (below(2) == 0) make_length_right(message);
    return message;
  }

 private:
  // Mostly in the body: a broken header is refused at once.
  std::size_t anywhere(const wire::Message& message) {
    if (below(10) == 0 || message.size() <= wire::header_bytes) return below(message.size());
    return wire::header_bytes + below(message.size() - wire::header_bytes);
  }
  static void make_length_right(wire::Message& message) {
    const auto size = static_cast<std::uint32_t>(message.size() - wire::header_bytes);
    for (std::size_t i = 0; i < 4; ++i) message[16 + i] = static_cast<std::byte>(size >> (8 * i));
  }
  std::size_t below(std::size_t limit) { return random_() % limit; }
  std::byte byte() { return static_cast<std::byte>(random_()); }

  std::mt19937 random_;
  std::vector<wire::Message> good_;
};

TEST(WireFuzzTest, AnyMutationIsReadOrRefused) {
  const unsigned seed = std::random_device{}();
  SCOPED_TRACE(testing::Message() << "seed " << seed);
  std::cout << "seed " << seed << '\n';
  Mutations mutations(seed);
  for (const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(1);
       std::chrono::steady_clock::now() < end;) {
    const wire::Message message = mutations.next();
    LLVMFuzzerTestOneInput(reinterpret_cast<const std::uint8_t*>(message.data()), message.size());
  }
}

// --- what a lie can allocate ------------------------------------------------------------------------

std::size_t allocated_now() { return ::mallinfo2().uordblks + ::mallinfo2().hblkhd; }

TEST(WireFuzzTest, NothingAllocatesMoreThanASmallMultipleOfTheMessage) {
  test::Octets body = test::octets("dd 00 0f 42 40");  // a million entries, and they are there
  body.resize(body.size() + 1'000'000, std::byte{0x90});
  const std::size_t before = allocated_now();
  const msgpack::object_handle handle = msgpack_body::unpack(body);
  EXPECT_LT(allocated_now() - before, 40 * body.size());
}

TEST(WireFuzzTest, ArraysInArraysMayNotEachClaimTheWholeMessage) {
  test::Octets body;
  for (int level = 0; level < 10; ++level) {
    for (const std::byte octet : test::octets("dd 00 0f 42 40")) body.push_back(octet);
  }
  body.resize(1'100'000, std::byte{0x00});
  EXPECT_FALSE(msgpack_body::claims_fit(body, 16));
  EXPECT_THROW(msgpack_body::unpack(body), msgpack_body::BodyError);
}

TEST(WireFuzzTest, NestingIsHeldAgainstItsLimit) {
  EXPECT_TRUE(msgpack_body::claims_fit(test::octets("91 91 90"), 3));
  EXPECT_FALSE(msgpack_body::claims_fit(test::octets("91 91 91 90"), 3));
  EXPECT_TRUE(msgpack_body::claims_fit(test::octets("93 90 91 90 90"), 3));
}

}  // namespace
}  // namespace eventspace
