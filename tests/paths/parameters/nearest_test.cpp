#include "paths/parameters/nearest.h"

#include <gtest/gtest.h>

#include <vector>

namespace eventspace {
namespace {

TEST(Nearest, FindsTheMisspeltWord) {
  const std::vector<std::string_view> words{"host", "port", "launch"};
  EXPECT_EQ(nearest("prot", words), "port");
  EXPECT_EQ(nearest("lunch", words), "launch");
  EXPECT_EQ(nearest("hosts", words), "host");
  EXPECT_EQ(nearest("colour", words), "");
  EXPECT_EQ(nearest("x", std::vector<std::string_view>{"a"}), "");
}

TEST(Nearest, AHintNamesTheNearestAndTheKnownWords) {
  const std::vector<std::string_view> words{"host", "port", "launch"};
  EXPECT_EQ(hint("prot", words), "; did you mean 'port'?; known: host, port, launch");
  EXPECT_EQ(hint("colour", words, 2), "; known: host, port and 1 more");
  EXPECT_EQ(hint("colour", {}), "; there are none");
}

}  // namespace
}  // namespace eventspace
