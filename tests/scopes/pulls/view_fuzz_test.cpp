#include <gtest/gtest.h>

#include <chrono>
#include <iostream>
#include <random>

#include "tests/paths/wire/largest_allocation.h"
#include "tests/scopes/pulls/view_talk.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);

namespace eventspace {
namespace {

/// Valid bodies: of a view, and of parts in both byte orders.
std::vector<wire::Message> good_bodies() {
  std::vector<wire::Message> bodies{test::body_of(test::full_view())};
  for (const ByteOrder order : {ByteOrder::little, ByteOrder::big}) {
    const wire::Message part = test::part_of(1, test::part_pieces(), order);
    const Bytes body = test::parsed(part).body;
    bodies.emplace_back(body.begin(), body.end());
  }
  return bodies;
}

bool is_read(std::size_t which, Bytes body) {
  return which == 0 ? read_view(body).has_value() : read_record_part({nullptr, body}).has_value();
}

TEST(ViewFuzzTest, AnyMutationIsReadOrRefused) {
  const unsigned seed = std::random_device{}();
  SCOPED_TRACE(testing::Message() << "seed " << seed);
  std::cout << "seed " << seed << '\n';
  std::mt19937 random(seed);
  const auto good = good_bodies();
  for (const auto end = std::chrono::steady_clock::now() + std::chrono::milliseconds(500);
       std::chrono::steady_clock::now() < end;) {
    wire::Message body = good[random() % good.size()];
    for (auto change = 1 + random() % 4; change > 0; --change)
      body[random() % body.size()] = static_cast<std::byte>(random());
    if (random() % 8 == 0) body.resize(random() % body.size());
    LLVMFuzzerTestOneInput(reinterpret_cast<const std::uint8_t*>(body.data()), body.size());
  }
}

TEST(ViewFuzzTest, ABodyThatIsCutOffAnywhereIsRefused) {
  const auto good = good_bodies();
  for (std::size_t which = 0; which < good.size(); ++which) {
    EXPECT_TRUE(is_read(which, good[which]));
    for (std::size_t size = 0; size < good[which].size(); ++size) {
      const test::Octets cut(good[which].begin(),
                             good[which].begin() + static_cast<std::ptrdiff_t>(size));  // to its last byte
      EXPECT_FALSE(is_read(which, cut)) << which << " of " << size << " bytes";
    }
  }
}

TEST(ViewFuzzTest, AnyFlippedBitIsReadOrRefused) {
  for (wire::Message body : good_bodies()) {
    for (std::size_t bit = 0; bit < 8 * body.size(); ++bit) {
      const auto mask = static_cast<std::byte>(1 << (bit % 8));
      body[bit / 8] ^= mask;
      LLVMFuzzerTestOneInput(reinterpret_cast<const std::uint8_t*>(body.data()), body.size());
      body[bit / 8] ^= mask;
    }
  }
}

TEST(ViewFuzzTest, NothingAllocatesMoreThanASmallMultipleOfTheMessage) {
  const auto good = good_bodies();
  for (std::size_t which = 0; which < good.size(); ++which) {
    for (std::size_t at = 0; at < good[which].size(); ++at) {
      const test::Octets lie = test::with_lie(good[which], at);
      const test::LargestAllocation largest;
      (void)is_read(which, lie);
      EXPECT_LE(largest.bytes(), 40 * lie.size()) << which << " from byte " << at;
    }
  }
}

}  // namespace
}  // namespace eventspace
