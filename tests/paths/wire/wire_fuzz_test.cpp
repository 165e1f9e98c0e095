#include <gtest/gtest.h>

#include <chrono>
#include <random>

#include "tests/paths/wire/largest_allocation.h"
#include "tests/paths/wire/wire_talk.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);

namespace eventspace {
namespace {

/// Valid messages of every kind with some bytes changed, cut off or added.
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
  // Mostly in the body, because a broken header is refused at once.
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

// --- systematically ---------------------------------------------------------------------------------

Bytes envelope_of(const wire::Message& message) { return test::parsed(message).envelope; }

/// Whether an envelope has the format of this kind.
bool is_read(wire::Kind kind, Bytes body) {
  switch (kind) {
    case wire::Kind::open:
      return wire::decode<wire::OpenRequest>(body).has_value();
    case wire::Kind::close:
      return wire::decode<wire::CloseRequest>(body).has_value();
    case wire::Kind::operate:
      return wire::decode<wire::OperateRequest>(body).has_value();
    case wire::Kind::opened:
      return wire::decode<wire::Opened>(body).has_value();
    case wire::Kind::done:
      return wire::decode<wire::Done>(body).has_value();
    case wire::Kind::push:
    case wire::Kind::pushed:
      return wire::decode<wire::Push>(body).has_value();
    case wire::Kind::credit:
    case wire::Kind::credited:
      return wire::decode<wire::Credit>(body).has_value();
    case wire::Kind::cancel:
      return wire::decode<wire::Cancel>(body).has_value();
    case wire::Kind::failed:
      return wire::decode<wire::Failure>(body).has_value();
    case wire::Kind::report:
      return wire::decode<wire::ServerReport>(body).has_value();
    default:
      return body.size() == 1;  // an empty array, which is not decoded
  }
}

TEST(WireFuzzTest, AnEnvelopeThatIsCutOffAnywhereIsRefused) {
  for (const wire::Message& message : test::good_messages()) {
    const wire::Kind kind = test::parsed(message).header.kind;
    const Bytes body = envelope_of(message);
    EXPECT_TRUE(is_read(kind, body)) << static_cast<int>(kind);
    for (std::size_t size = 0; size < body.size(); ++size) {
      const test::Octets cut(body.begin(),
                             body.begin() + static_cast<std::ptrdiff_t>(size));  // to its last byte
      EXPECT_FALSE(is_read(kind, cut)) << static_cast<int>(kind) << " of " << size << " bytes";
    }
  }
}

TEST(WireFuzzTest, AnyFlippedBitIsReadOrRefused) {
  for (const wire::Message& message : test::good_messages()) {
    const Bytes body = envelope_of(message);
    test::Octets flipped(body.begin(), body.end());
    for (std::size_t bit = 0; bit < 8 * flipped.size(); ++bit) {
      const auto mask = static_cast<std::byte>(1 << (bit % 8));
      flipped[bit / 8] ^= mask;
      test::decode_as_everything(flipped);
      flipped[bit / 8] ^= mask;
    }
  }
}

// --- allocations for false sizes --------------------------------------------------------------------

TEST(WireFuzzTest, NothingAllocatesMoreThanASmallMultipleOfTheMessage) {
  for (const wire::Message& message : test::good_messages()) {
    const wire::Kind kind = test::parsed(message).header.kind;
    const Bytes body = envelope_of(message);
    for (std::size_t at = 0; at < body.size(); ++at) {
      const test::Octets lie = test::with_lie(body, at);
      const test::LargestAllocation largest;
      (void)is_read(kind, lie);
      EXPECT_LE(largest.bytes(), 40 * lie.size()) << static_cast<int>(kind) << " from byte " << at;
    }
  }
  const test::LargestAllocation largest;
  const test::Octets all(1000);
  EXPECT_GE(largest.bytes(), all.size()) << "allocations are not counted";
}

TEST(WireFuzzTest, NestedArraysCannotEachAllocateForTheWholeMessage) {
  test::Octets body;
  for (int level = 0; level < 10; ++level) {
    for (const std::byte octet : test::octets("dd 00 0f 42 40")) body.push_back(octet);
  }
  body.resize(1'100'000, std::byte{0x00});
  const test::LargestAllocation largest;
  test::decode_as_everything(body);
  EXPECT_LE(largest.bytes(), 40 * body.size());
}

}  // namespace
}  // namespace eventspace
