#include "collectors/line_pool.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <random>
#include <set>
#include <thread>
#include <vector>

namespace eventspace {
namespace {

constexpr std::uintptr_t line_bytes = 64;
constexpr std::uintptr_t page_bytes = 4096;

std::uintptr_t number(const void* line) { return reinterpret_cast<std::uintptr_t>(line); }

/// Lines that are always given back.
class Lines {
 public:
  Lines() = default;
  explicit Lines(std::size_t count) {
    for (std::size_t i = 0; i < count; ++i) taken.push_back(take_line());
  }
  ~Lines() {
    for (void* const line : taken) give_line_back(line);
  }
  Lines(const Lines&) = delete;
  Lines& operator=(const Lines&) = delete;

  std::vector<void*> taken;
};

TEST(LinePoolTest, LinesTakenOneAfterAnotherLieSideBySide) {
  const Lines lines(500);
  std::size_t neighbours = 0;
  for (std::size_t i = 0; i < lines.taken.size(); ++i) {
    EXPECT_EQ(number(lines.taken[i]) % line_bytes, 0u);
    EXPECT_NE(number(lines.taken[i]) % page_bytes, 0u);  // the first line belongs to the page
    if (i > 0 && number(lines.taken[i]) == number(lines.taken[i - 1]) + line_bytes) ++neighbours;
  }
  EXPECT_GE(neighbours, 499u - 500u / 63 - 1);
}

TEST(LinePoolTest, NoPageHasLinesOfTwoThreads) {
  const Lines here(100);
  Lines there;
  std::thread([&there] {
    for (int i = 0; i < 100; ++i) there.taken.push_back(take_line());
  }).join();
  std::set<std::uintptr_t> pages;
  for (const void* const line : here.taken) pages.insert(number(line) / page_bytes);
  for (const void* const line : there.taken) EXPECT_FALSE(pages.contains(number(line) / page_bytes));
}

TEST(LinePoolTest, NoLineIsHandedOutTwiceWhileItIsOut) {
  std::mt19937 random(4713);
  Lines lines;
  std::set<void*> out;
  for (int round = 0; round < 20'000; ++round) {
    if (lines.taken.empty() || random() % 5 < 3) {
      lines.taken.push_back(take_line());
      ASSERT_TRUE(out.insert(lines.taken.back()).second);
      std::memset(lines.taken.back(), round & 0xff, line_bytes);
    } else {
      std::swap(lines.taken[random() % lines.taken.size()], lines.taken.back());
      out.erase(lines.taken.back());
      give_line_back(lines.taken.back());
      lines.taken.pop_back();
    }
  }
}

TEST(LinePoolTest, LinesOutliveTheThreadThatTookThemAndOthersMayGiveThemBack) {
  Lines lines;
  std::thread([&lines] {
    for (int i = 0; i < 200; ++i) lines.taken.push_back(take_line());
  }).join();
  for (std::size_t i = 0; i < lines.taken.size(); ++i)
    std::memset(lines.taken[i], static_cast<int>(i), line_bytes);
  std::vector<void*> half;
  while (lines.taken.size() > 100) {
    half.push_back(lines.taken.back());
    lines.taken.pop_back();
  }
  std::thread([&half] { std::for_each(half.begin(), half.end(), give_line_back); }).join();
  for (std::size_t i = 0; i < lines.taken.size(); ++i) {
    const auto* const bytes = static_cast<const unsigned char*>(lines.taken[i]);
    EXPECT_TRUE(std::all_of(bytes, bytes + line_bytes, [i](unsigned char byte) { return byte == i; }));
  }
}

}  // namespace
}  // namespace eventspace
