#include "tuplespace/system/plain_text.h"

#include <gtest/gtest.h>

#include <string>

namespace eventspace {
namespace {

using namespace std::string_view_literals;

TEST(PlainTextTest, TextOfAllLanguagesIsPlain) {
  for (const auto text : {""sv, "north/east @ 3"sv, "\u00a0\u00e4\u07ff"sv, "\u0800\ud7ff\ue000\uffff"sv,
                          "\U00010000\U0010ffff"sv, "風洞"sv})
    EXPECT_TRUE(is_plain_text(text)) << text;
}

TEST(PlainTextTest, ControlCharactersAreNot) {
  for (const auto text :
       {"\0"sv, "a\nb"sv, "\x1b[2J"sv, "\x1f"sv, "\x7f"sv, "\xc2\x80"sv, "\xc2\x9b"sv, "\xc2\x9f"sv})
    EXPECT_FALSE(is_plain_text(text)) << testing::PrintToString(std::string(text));
}

TEST(PlainTextTest, BytesThatAreNoUtf8AreNot) {
  const auto texts = {"\x80"sv,
                      "\xbf"sv,
                      "a\xff"sv,
                      "\xfe"sv,  // no first bytes
                      "\xc3"sv,
                      "\xe2\x82"sv,
                      "\xf0\x90\x80"sv,  // they end too early
                      "\xc3("sv,
                      "\xe2(\xa1"sv,
                      "\xf0\x28\x8c\xbc"sv,  // other bytes inside
                      "\xc0\xa0"sv,
                      "\xc1\xbf"sv,
                      "\xe0\x82\xa0"sv,
                      "\xf0\x80\xa0\xa0"sv,  // longer than they must be
                      "\xed\xa0\x80"sv,
                      "\xed\xbf\xbf"sv,
                      "\xf4\x90\x80\x80"sv,
                      "\xf8\x88\x80\x80\x80"sv};  // no characters
  for (const auto text : texts)
    EXPECT_FALSE(is_plain_text(text)) << testing::PrintToString(std::string(text));
}

TEST(PlainTextTest, OtherTextIsMadePlain) {
  EXPECT_EQ(made_plain("h\xc3\xb6he", 100), "h\xc3\xb6he");
  EXPECT_EQ(made_plain("h\xc3\xb6he", 2), "h?");
  EXPECT_EQ(made_plain("a\x1b[2J\n\x7f\xff", 100), "a?[2J???");
  EXPECT_EQ(made_plain("", 100), "");
}

}  // namespace
}  // namespace eventspace
