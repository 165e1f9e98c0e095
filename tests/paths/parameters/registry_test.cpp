#include <eventspace/extend.h>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <eventspace/error.h>
#include "tests/error_text.h"

namespace eventspace {
namespace {

using ::testing::ElementsAre;

struct Tool {
  std::string name;
  int size{0};
};

class Tools : public testing::Test {
 protected:
  Registry<Tool> tools_{"garden tool", {{"spade", 3}, {"rake", 5}}};
};

TEST_F(Tools, AreFoundByName) {
  tools_.add({"hoe", 7});
  ASSERT_NE(tools_.find("hoe"), nullptr);
  EXPECT_EQ(tools_.find("hoe")->size, 7);
  EXPECT_EQ(tools_.find("rake")->size, 5);
  EXPECT_EQ(tools_.find("axe"), nullptr);
}

TEST_F(Tools, KeepTheirOrderAndTheirAddresses) {
  const Tool* const spade = tools_.find("spade");
  for (int i = 0; i < 100; ++i) tools_.add({"tool" + std::to_string(i), i});
  EXPECT_EQ(tools_.find("spade"), spade);
  EXPECT_EQ(tools_.names().at(1), "rake");
  EXPECT_EQ(tools_.names().back(), "tool99");
}

TEST_F(Tools, ATakenNameIsRefused) {
  EXPECT_EQ(test::error_text<ConfigurationError>([&] {
              tools_.add({"rake", 1});
            }),
            "a garden tool named 'rake' is registered already");
  EXPECT_EQ(tools_.find("rake")->size, 5);
  EXPECT_THAT(tools_.names(), ElementsAre("spade", "rake"));
}

TEST_F(Tools, AnErrorAboutAnUnknownNameSaysWhatMayBeMeant) {
  EXPECT_EQ(tools_.unknown("tool", "raek"), "unknown tool 'raek'; did you mean 'rake'?; known: spade, rake");
}

}  // namespace
}  // namespace eventspace
