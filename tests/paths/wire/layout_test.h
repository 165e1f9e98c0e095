#pragma once

#include <gtest/gtest.h>

#include <cstddef>
#include <vector>

#include "paths/wire/encoded_size.h"
#include "paths/wire/fields.h"
#include "tests/paths/wire/random_source.h"
#include "tests/tuplespace/octets.h"

// The properties of every layout, for random values. A test program instantiates LayoutTest with its types:
//
//     INSTANTIATE_TYPED_TEST_SUITE_P(Envelopes, LayoutTest, testing::Types<wire::OpenRequest, wire::Opened>);

namespace eventspace::test {

template <class T>
class LayoutTest : public testing::Test {
 protected:
  static constexpr unsigned values = 60;

  static std::optional<T> decoded(Bytes bytes) {
    constexpr std::size_t max_depth = 256;
    return wire::decoded<T>(bytes, nullptr, max_depth);
  }
  /// Calls `check` with a few random values, encoded.
  template <class Check>
  static void for_bodies(unsigned count, Check check) {
    for (unsigned seed = 1; seed <= count; ++seed) {
      SCOPED_TRACE(testing::Message() << "seed " << seed);
      check(wire::encoded(random_value<T>(seed).value));
      if (testing::Test::HasFailure()) return;
    }
  }
};
TYPED_TEST_SUITE_P(LayoutTest);

TYPED_TEST_P(LayoutTest, ADecodedValueIsEncodedAsBefore) {
  this->for_bodies(this->values, [&](const std::vector<std::byte>& body) {
    const auto read = this->decoded(body);
    ASSERT_TRUE(read);
    EXPECT_EQ(wire::encoded(*read), body);
  });
}

TYPED_TEST_P(LayoutTest, TheSizeIsWithinItsBounds) {
  this->for_bodies(this->values, [&](const std::vector<std::byte>& body) {
    EXPECT_GE(body.size(), wire::size_bounds<TypeParam>.least);
    EXPECT_LE(body.size(), wire::size_bounds<TypeParam>.most);
  });
}

TYPED_TEST_P(LayoutTest, TheSizeIsCountedAsItIsWritten) {
  this->for_bodies(this->values, [&](const std::vector<std::byte>& body) {
    const auto read = this->decoded(body);
    ASSERT_TRUE(read);
    EXPECT_EQ(wire::encoded_size(*read), body.size());
  });
}

TYPED_TEST_P(LayoutTest, ABodyThatIsCutOffOrContinuedIsRefused) {
  this->for_bodies(3, [&](std::vector<std::byte> body) {
    for (std::size_t size = 0; size < body.size(); ++size) {
      const Octets cut(body.begin(), body.begin() + static_cast<std::ptrdiff_t>(size));  // to its last byte
      EXPECT_FALSE(this->decoded(cut)) << size << " of " << body.size() << " bytes";
    }
    body.push_back(std::byte{0});
    EXPECT_FALSE(this->decoded(body));
  });
}

REGISTER_TYPED_TEST_SUITE_P(LayoutTest, ADecodedValueIsEncodedAsBefore, TheSizeIsWithinItsBounds,
                            TheSizeIsCountedAsItIsWritten, ABodyThatIsCutOffOrContinuedIsRefused);

}  // namespace eventspace::test
