#include "tuplespace/element_space.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <thread>

#include <eventspace/error.h>
#include "tests/tuplespace/element_talk.h"

namespace eventspace {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::ThrowsMessage;

ElementConfig named(std::string name) { return {std::move(name), {FieldType::integer}}; }

TEST(ElementSpaceTest, FindsWhatWasCreated) {
  ElementSpace space;
  Element& north = space.create(named("border/north"));
  EXPECT_EQ(space.find("border/north"), &north);
  EXPECT_EQ(space.find("border/south"), nullptr);
  EXPECT_EQ(space.find(""), nullptr);
}

TEST(ElementSpaceTest, ElementsStayWhereTheyAre) {
  ElementSpace space;
  const Element* const first = &space.create(named("first"));
  for (int i = 0; i < 1000; ++i) space.create(named("other" + std::to_string(i)));
  EXPECT_EQ(space.find("first"), first);
}

TEST(ElementSpaceTest, NamesAreUniqueAndSorted) {
  ElementSpace space;
  space.create(named("b"));
  space.create(named("a"));
  EXPECT_THAT([&] { space.create(named("a")); },
              ThrowsMessage<ConfigurationError>(HasSubstr("element 'a' exists already")));
  EXPECT_THROW(space.create(named("")), ConfigurationError);
  EXPECT_THAT(space.names(), ElementsAre("a", "b"));
}

TEST(ElementSpaceTest, ClosedSpaceClosesElementsNowAndLater) {
  ElementSpace space;
  Element& before = space.create(named("before"));
  space.close_all();
  Element& later = space.create(named("later"));
  EXPECT_EQ(test::perform(before, test::fetch_of(Verb::read)), "closed");
  EXPECT_EQ(test::perform(later, test::fetch_of(Verb::read)), "closed");
}

TEST(ElementSpaceTest, ThreadsRaceToCreateAndOneWins) {
  ElementSpace space;
  std::atomic<int> created{0};
  const auto race = [&] {
    for (int i = 0; i < 100; ++i) {
      const std::string name = "e" + std::to_string(i);
      try {
        space.create(named(name));
        ++created;
      } catch (const ConfigurationError&) {
        EXPECT_NE(space.find(name), nullptr);
      }
    }
  };
  {
    const std::jthread one(race);
    const std::jthread two(race);
  }
  EXPECT_EQ(created, 100);
  EXPECT_EQ(space.names().size(), 100u);
}

}  // namespace
}  // namespace eventspace
