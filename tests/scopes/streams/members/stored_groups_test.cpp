#include <eventspace/topology.h>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <fstream>
#include <string>
#include <thread>
#include <vector>

#include <eventspace/error.h>
#include "tests/error_text.h"
#include "tuplespace/system/runtime_directory.h"

namespace eventspace::streams {
namespace {

using ::testing::HasSubstr;

class StoredGroupsTest : public testing::Test {
 protected:
  ~StoredGroupsTest() override {
    for (const auto& [name, ranks] : groups.all()) groups.remove(name);
    for (const char* const extension : {".groups", ".groups.lock"}) {
      std::error_code ignored;
      std::filesystem::remove(runtime_directory() / (session + extension), ignored);
    }
  }
  StoredGroupsTest() = default;
  StoredGroupsTest(const StoredGroupsTest&) = delete;
  StoredGroupsTest& operator=(const StoredGroupsTest&) = delete;

  template <class Action>
  static std::string refusal(Action action) {
    return eventspace::test::error_text<Error>(action);
  }

  std::string session{fmt::format("groups-test-{}", ::getpid())};
  StoredGroups groups{session};
};

TEST_F(StoredGroupsTest, OtherProgramsFindWhatWasStored) {
  groups.store("upper", RankSet::of_range(4, 7));
  groups.store("odd.ones", *RankSet::parse("1,3"));
  const StoredGroups other(session);
  EXPECT_EQ(other.find("upper").to_text(), "4-7");
  other.store("upper", RankSet::of_range(6, 7));
  EXPECT_EQ(groups.find("upper").to_text(), "6-7");
  EXPECT_EQ(groups.all().size(), 2u);
  EXPECT_TRUE(groups.remove("upper"));
  EXPECT_FALSE(groups.remove("upper"));
  EXPECT_EQ(StoredGroups(session + "-other").all().size(), 0u);
}

TEST_F(StoredGroupsTest, AnUnknownOneIsRefusedWithTheKnownOnes) {
  groups.store("upper", RankSet::of_range(4, 7));
  EXPECT_THAT(refusal([&] { (void)groups.find("lower"); }), HasSubstr("has no group 'lower'; known: upper"));
}

TEST_F(StoredGroupsTest, NamesAndSetsThatAreNoneAreRefusedAndChangeNothing) {
  const RankSet some = RankSet::of_range(0, 1);
  for (const char* const name : {"", "all", "7up", "a b", "a\nb", "../x"})
    EXPECT_THAT(refusal([&] { groups.store(name, some); }), HasSubstr("cannot be the name of a group"))
        << name;
  EXPECT_THAT(refusal([&] { groups.store(std::string(64, 'a'), some); }), HasSubstr("cannot be the name"));
  EXPECT_THAT(refusal([&] { groups.store("none", {}); }), HasSubstr("would be empty"));
  EXPECT_TRUE(groups.all().empty());
}

TEST_F(StoredGroupsTest, AFaultyFileIsNamedWithItsLine) {
  groups.store("upper", RankSet::of_range(4, 7));
  std::ofstream(runtime_directory() / (session + ".groups"), std::ios::app) << "lower 4-\n";
  EXPECT_THAT(refusal([&] { (void)groups.all(); }), HasSubstr("line 2: this is not a group"));
  std::filesystem::remove(runtime_directory() / (session + ".groups"));
}

TEST_F(StoredGroupsTest, SeveralMayChangeThemAtOnce) {
  std::vector<std::thread> threads;
  for (int i = 0; i < 4; ++i) {
    threads.emplace_back([this, i] {
      for (int j = 0; j < 10; ++j)
        StoredGroups(session).store(fmt::format("g{}-{}", i, j),
                                    RankSet::of_range(0, static_cast<RankSet::Rank>(j)));
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(groups.all().size(), 40u);
}

TEST_F(StoredGroupsTest, ASessionMayHaveAnyName) {
  const StoredGroups odd(fmt::format(".odd name:{}", ::getpid()));
  odd.store("a", RankSet::of_range(0, 0));
  EXPECT_EQ(odd.find("a").to_text(), "0");
  odd.remove("a");
}

}  // namespace
}  // namespace eventspace::streams
