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

TEST(PlainTextTest, PlainTextIsNotEscaped) {
  for (const auto text : {""sv, "t0/log \\ \"x\""sv, "\u00a0\u00e4\u2027\u202f"sv, "風洞 \U0010ffff"sv})
    EXPECT_EQ(escaped(text), text);
}

TEST(PlainTextTest, WhatATerminalObeysIsEscaped) {
  EXPECT_EQ(escaped("\x1b[2J\r\t\0|"sv), "\\u001b[2J\\u000d\\u0009\\u0000|");
  EXPECT_EQ(escaped("\x7f \xc2\x80 \xc2\x9b \xc2\x9f"), "\\u007f \\u0080 \\u009b \\u009f");
  EXPECT_EQ(escaped("\u202a\u202b\u202c\u202d\u202e"), "\\u202a\\u202b\\u202c\\u202d\\u202e");
  EXPECT_EQ(escaped("\u2066\u2067\u2068\u2069"), "\\u2066\\u2067\\u2068\\u2069");
  EXPECT_EQ(escaped("\u061c\u200e\u200f\u2028\u2029"), "\\u061c\\u200e\\u200f\\u2028\\u2029");
}

TEST(PlainTextTest, ANewlineIsKeptWhereLinesAreWritten) {
  EXPECT_EQ(escaped("a\nb"), "a\\nb");
  EXPECT_EQ(escaped("a\n\rb\n", Newlines::kept), "a\n\\u000db\n");
}

TEST(PlainTextTest, EachByteThatIsNoUtf8IsEscaped) {
  EXPECT_EQ(escaped("a\xff\x80z"), "a\\xff\\x80z");
  EXPECT_EQ(escaped("\xe2\x82"), "\\xe2\\x82");
  EXPECT_EQ(escaped("\xc1\x9b"), "\\xc1\\x9b") << "an overlong ESC";
  EXPECT_EQ(escaped("\xed\xa0\x80"), "\\xed\\xa0\\x80") << "a surrogate";
  EXPECT_EQ(escaped("\xc3("), "\\xc3(");
}

TEST(PlainTextTest, EveryPairOfBytesIsPlainOnceItIsEscaped) {
  for (int first = 0; first < 256; ++first) {
    for (int second = 0; second < 256; ++second) {
      const std::string text{static_cast<char>(first), static_cast<char>(second)};
      const std::string once = escaped(text);
      ASSERT_TRUE(is_plain_text(once)) << first << ' ' << second;
      ASSERT_EQ(escaped(once), once);
      ASSERT_TRUE(!is_plain_text(text) || once == text || text == "\u061c");
    }
  }
}

TEST(PlainTextTest, ACharacterMayBeUnfinishedAtTheEndOfAText) {
  for (const auto& [text, bytes] : {std::pair{"", 0},
                                    {"ab", 0},
                                    {"a\xc3", 1},
                                    {"a\xc3\xb6", 0},
                                    {"\xe2\x82", 2},
                                    {"\xf0\x9f\x98", 3},
                                    {"\xf0\x9f\x98\x80", 0},
                                    {"\x80\x80\x80", 0},
                                    {"\xff", 0},
                                    {"\xc3(", 0}})
    EXPECT_EQ(unfinished_tail(text), static_cast<std::size_t>(bytes)) << text;
}

}  // namespace
}  // namespace eventspace
