#include "scopes/requests/request_action.h"

#include <gmock/gmock.h>

#include <eventspace/error.h>
#include "tests/error_text.h"

namespace eventspace {
namespace {

using testing::HasSubstr;
using Kind = RequestAction::Kind;

std::string fault_in(const std::string& text) {
  return test::error_text<ConfigurationError>([&] { (void)request_action(text); });
}

TEST(RequestAction, IsAWordAndWhatBelongsToIt) {
  EXPECT_EQ(request_action("count").kind, Kind::count);
  EXPECT_EQ(request_action(" print ").kind, Kind::print);
  EXPECT_EQ(request_action("stop").kind, Kind::stop);
  EXPECT_EQ(request_action("continue").kind, Kind::go_on);
  EXPECT_EQ(request_action("integrate bytes").argument, "bytes");
  EXPECT_FALSE(request_action("integrate bytes").is_time);
  EXPECT_TRUE(request_action("integrate duration").is_time);
  EXPECT_TRUE(request_action("integrate 2 * duration").is_time);
  EXPECT_EQ(request_action("run echo a  b").argument, "echo a  b");
  const RequestAction collect = request_action("collect 1/100  solver*");
  EXPECT_EQ(collect.kind, Kind::collect);
  EXPECT_EQ(collect.argument, "1/100");
  EXPECT_EQ(collect.processes, "solver*");
  EXPECT_EQ(request_action("collect off").processes, "");
}

TEST(RequestAction, SaysWhatIsWrongWithATextThatIsNone) {
  EXPECT_THAT(fault_in(""), HasSubstr("unknown action ''; known: count, integrate, print, collect, stop"));
  EXPECT_THAT(fault_in("cuont"), HasSubstr("unknown action 'cuont'; did you mean 'count'?"));
  EXPECT_THAT(fault_in("count all"), HasSubstr("found 'all' behind 'count', which takes nothing"));
  EXPECT_THAT(fault_in("integrate"), HasSubstr("nothing behind 'integrate'; expected integrate EXPRESSION"));
  EXPECT_THAT(fault_in("integrate byts"), HasSubstr("byts"));
  EXPECT_THAT(fault_in("integrate verb"), HasSubstr("expected a number"));
  EXPECT_THAT(fault_in("collect of"), HasSubstr("--do 'collect of': "));
  EXPECT_THAT(fault_in("collect on {a"), HasSubstr("the pattern '{a' "));
  EXPECT_THAT(fault_in("run"), HasSubstr("nothing behind 'run'; expected run COMMAND"));
}

}  // namespace
}  // namespace eventspace
