#include "paths/parameters/glob.h"

#include <gtest/gtest.h>

#include <string>
#include <string_view>
#include <vector>

namespace eventspace {
namespace {

TEST(Glob, ItselfMatchesItself) {
  EXPECT_TRUE(glob_match("t17", "t17"));
  EXPECT_FALSE(glob_match("t17", "t170"));
  EXPECT_FALSE(glob_match("t17", "t1"));
}

TEST(Glob, AStarDoesNotMatchASlash) {
  EXPECT_TRUE(glob_match("send/*", "send/north"));
  EXPECT_FALSE(glob_match("send/*", "send/north/ne"));
  EXPECT_TRUE(glob_match("*", "t17"));
  EXPECT_FALSE(glob_match("*", "send/north"));
}

TEST(Glob, TwoStarsMatchSlashes) {
  EXPECT_TRUE(glob_match("**", "send/north/ne"));
  EXPECT_TRUE(glob_match("border/**", "border/t1/north/n"));
  EXPECT_TRUE(glob_match("**/ne", "send/north/ne"));
  EXPECT_FALSE(glob_match("**/ne", "send/north/nw"));
}

TEST(Glob, AQuestionMarkIsOneCharacterExceptASlash) {
  EXPECT_TRUE(glob_match("t?", "t1"));
  EXPECT_FALSE(glob_match("t?", "t"));
  EXPECT_FALSE(glob_match("t?", "t/"));
}

TEST(Glob, RangeIsANumberBetweenItsEnds) {
  for (const auto* name : {"t3", "t9", "t10", "t17"}) EXPECT_TRUE(glob_match("t[3-17]", name)) << name;
  for (const auto* name : {"t2", "t18", "t100", "t", "t03", "tx", "t-4"})
    EXPECT_FALSE(glob_match("t[3-17]", name)) << name;
}

TEST(Glob, RangeTakesAllDigits) {
  EXPECT_FALSE(glob_match("t[0-1]*", "t12"));
  EXPECT_TRUE(glob_match("t[0-1]*", "t1x"));
  EXPECT_TRUE(glob_match("r[0-3]n[1-2]", "r3n2"));
}

TEST(Glob, FindsANumberOfARangeThatNoNameHas) {
  using Names = std::vector<std::string_view>;
  const auto unused = [](std::string_view pattern, const Names& names) {
    const auto found = unused_number(pattern, names);
    return found ? found->range + " " + std::to_string(found->number) : "none";
  };
  EXPECT_EQ(unused("t[4-8]", {"t4", "t5", "t6", "t7"}), "[4-8] 8");
  EXPECT_EQ(unused("t[4-7]", {"t4", "t5", "t6", "t7"}), "none");
  EXPECT_EQ(unused("t[4-7]", {"t5", "t7"}), "[4-7] 4");
  EXPECT_EQ(unused("t[0-999999999999999999]", {"t0", "t1"}), "[0-999999999999999999] 2");
  EXPECT_EQ(unused("r[0-1]n[1-2]", {"r0n1", "r1n2"}), "none") << "each number is used";
  EXPECT_EQ(unused("r[0-1]n[1-3]", {"r0n1", "r1n2"}), "[1-3] 3");
  EXPECT_EQ(unused("{t[0-1],u[0-2]}", {"t0", "t1", "u0", "u1"}), "[0-2] 2");
  EXPECT_EQ(unused("{t[0-2],u[0-2]}", {"t0", "t1", "u0", "u1", "u2"}), "[0-2] 2") << "u2 is not t2";
  EXPECT_EQ(unused("{t[0-1],*}", {"t0", "t1", "u2"}), "none");
  EXPECT_EQ(unused("{t[0-1],*}", {"t0", "u2"}), "[0-1] 1");
  EXPECT_EQ(unused("t1[0-2]", {"t10", "t11", "t12"}), "none");
  EXPECT_EQ(unused("a{b,c{d,e}}[0-1]", {"ab0", "ab1", "acd0", "acd1", "ace0"}), "[0-1] 1");
  std::string many;
  for (int i = 0; i < 40; ++i) many += "{a,b}";
  EXPECT_EQ(unused(many + "[0-1]", {}), "none") << "too many alternatives to look at";
  EXPECT_EQ(unused("*", {"t0"}), "none");
  EXPECT_EQ(unused("t[", {"t0"}), "none");
}

TEST(Glob, BracesAreAlternativesThatMayNest) {
  EXPECT_TRUE(glob_match("{progress,result}", "result"));
  EXPECT_FALSE(glob_match("{progress,result}", "results"));
  EXPECT_TRUE(glob_match("{send,receive}/north/*", "receive/north/n"));
  EXPECT_TRUE(glob_match("a{b,c{d,e}}f", "acef"));
  EXPECT_FALSE(glob_match("a{b,c{d,e}}f", "aef"));
  EXPECT_TRUE(glob_match("x{,y}", "x"));
  EXPECT_TRUE(glob_match("{t[0-3],main}", "main"));
}

TEST(Glob, CommaOutsideBracesIsItself) {
  EXPECT_TRUE(glob_match("a,b{c,d}", "a,bd"));
  EXPECT_FALSE(glob_match("a,b", "a"));
}

TEST(Glob, ManyStarsTakeNoLongerThanTheProduct) {
  std::string pattern;
  for (int i = 0; i < 60; ++i) pattern += "{a*,*a}";
  EXPECT_FALSE(glob_match(pattern.substr(0, 252) + "b", std::string(250, 'a')));
}

TEST(Glob, TextBeyondTheLimitNeverMatches) {
  EXPECT_TRUE(glob_match("**", std::string(glob_longest, 'a')));
  EXPECT_FALSE(glob_match("**", std::string(glob_longest + 1, 'a')));
}

TEST(GlobFault, SaysWhatIsWrong) {
  EXPECT_EQ(glob_fault(""), "is empty");
  EXPECT_EQ(glob_fault("a{b"), "has a '{' without a '}'");
  EXPECT_EQ(glob_fault("a}b"), "has a '}' without a '{'");
  EXPECT_EQ(glob_fault("a]"), "has a ']' without a '['");
  EXPECT_EQ(glob_fault(std::string(257, 'a')), "is longer than 256 characters");
}

TEST(GlobFault, ARangeNeedsTwoNumbersInOrder) {
  for (const auto* pattern :
       {"[", "[]", "[3]", "[5-3]", "[-3]", "[1-]", "[a-z]", "[01-3]", "[1-99999999999999999999]"})
    EXPECT_FALSE(glob_fault(pattern).empty()) << pattern;
  EXPECT_EQ(glob_fault("t[0-139]"), "");
  EXPECT_EQ(glob_fault("[7-7]"), "");
}

TEST(GlobFault, AFaultyPatternMatchesNothing) { EXPECT_FALSE(glob_match("a{b", "a{b")); }

}  // namespace
}  // namespace eventspace
