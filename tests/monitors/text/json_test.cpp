#include "monitors/text/json.h"

#include <gtest/gtest.h>

namespace eventspace {
namespace {

TEST(JsonTest, BytesThatAreNotUtf8AreReplaced) {
  EXPECT_EQ(Json("n\xc3\xb6rd").dump(), "\"n\xc3\xb6rd\"");
  EXPECT_EQ(Json("n\xf6rd").dump(), "\"n\xef\xbf\xbdrd\"");
  EXPECT_EQ(Json::object({{"\xff", "\xc3"}}).dump(), "{\"\xef\xbf\xbd\":\"\xef\xbf\xbd\"}");
}

}  // namespace
}  // namespace eventspace
