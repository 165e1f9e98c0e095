#include "monitors/running/forwarded_variables.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <eventspace/error.h>
#include "tests/error_text.h"

namespace eventspace {
namespace {

using Words = std::vector<std::string>;

TEST(ForwardedVariables, FollowTheLauncher) {
  EXPECT_EQ(forwarding({"nice", "mpirun", "-np", "2", "app", ":", "-np", "1", "other"}, 1, {"A", "B"}),
            (Words{"nice", "mpirun", "-x", "A", "-x", "B", "-np", "2", "app", ":", "-np", "1", "other"}));
}

TEST(ForwardedVariables, AreNotGivenTwice) {
  EXPECT_EQ(forwarding({"mpirun", "-x", "A=1", "app", "-x"}, 0, {"A", "B"}),
            (Words{"mpirun", "-x", "B", "-x", "A=1", "app", "-x"}));
}

TEST(ForwardedVariables, AreRefusedBesideTheOtherWay) {
  EXPECT_THAT(test::error_text<ConfigurationError>([&] {
                (void)forwarding({"mpirun", "--mca", "mca_base_env_list", "C", "app"}, 0, {"A", "B"});
              }),
              testing::HasSubstr("A;B"));
}

}  // namespace
}  // namespace eventspace
