#include <gtest/gtest.h>

#include <chrono>
#include <random>

#include "tests/tuplespace/octets.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);

namespace eventspace {
namespace {

using Input = std::vector<std::uint8_t>;

/// Makes inputs for the fuzzer: half of them are noise, the others valid tuples with some octets changed.
class Inputs {
 public:
  explicit Inputs(unsigned seed) : random_(seed) {}

  Input next() { return below(2) == 0 ? noise() : mutation(); }

 private:
  Input noise() {
    Input input(below(40));
    for (auto& octet : input) octet = octet_();
    return input;
  }

  Input mutation() {
    const test::Octets blob(below(300));
    const Tuple good = Tuple::of({true, std::int64_t{below(100000)}, 1.5, "text", Bytes(blob)});
    Input input;
    for (const std::byte octet : good.encoded()) input.push_back(static_cast<std::uint8_t>(octet));
    for (std::uint32_t change = below(4); change > 0; --change) input[below(input.size())] = octet_();
    if (below(4) == 0) input.resize(below(input.size() + 10));
    return input;
  }

  std::uint32_t below(std::size_t limit) { return static_cast<std::uint32_t>(random_() % limit); }
  std::uint8_t octet_() { return static_cast<std::uint8_t>(random_()); }

  std::mt19937 random_;
};

TEST(TupleFuzzTest, AnyBytesAreDecodedOrRefused) {
  const unsigned seed = std::random_device{}();
  SCOPED_TRACE(testing::Message() << "seed " << seed);
  RecordProperty("seed", static_cast<int>(seed));
  std::cout << "seed " << seed << '\n';
  Inputs inputs(seed);
  const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(1);
  while (std::chrono::steady_clock::now() < end) {
    const Input input = inputs.next();
    LLVMFuzzerTestOneInput(input.data(), input.size());
  }
}

}  // namespace
}  // namespace eventspace
