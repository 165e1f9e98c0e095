#include "scopes/streams/launching/start_sheet.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <sstream>

#include <eventspace/error.h>
#include <eventspace/stream_network.h>
#include "tests/error_text.h"

namespace eventspace::streams {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

StartSheet a_sheet() {
  StartSheet sheet{.network = "tools", .process = 2, .parent = "tcp://n1:5"};
  sheet.options.launchers["n3"] = {"srun", "-w", "n3"};
  sheet.options.back_end = {"daemon", "--name=a b"};
  sheet.options.over_network = true;
  sheet.options.session = "a session";
  sheet.keys = "eventspace-keys 1\nlistening X\nconnecting Y\n";
  sheet.topology = "n1:0 => n2:0 ;\nn2:0 => n2:1 ;\n";
  return sheet;
}

std::string sheet_fault(const std::string& text) {
  return eventspace::test::error_text<ConfigurationError>([&] { (void)parse_start_sheet(text); }, "none");
}

TEST(StartSheetTest, WhatIsWrittenIsReadAgain) {
  const StartSheet read = parse_start_sheet(to_text(a_sheet()));
  EXPECT_EQ(to_text(read), to_text(a_sheet()));
  EXPECT_THAT(read.options.back_end, ElementsAre("daemon", "--name=a b"));
  EXPECT_THAT(read.options.launchers.at("n3"), ElementsAre("srun", "-w", "n3"));
  EXPECT_TRUE(read.options.over_network);
  EXPECT_EQ(read.options.session, "a session");
  EXPECT_EQ(read.keys, a_sheet().keys);
  EXPECT_EQ(read.topology, a_sheet().topology);
}

TEST(StartSheetTest, WhatIsNoSheetIsRefusedAndKeysAreNotRepeated) {
  EXPECT_THAT(sheet_fault("hello"), HasSubstr("does not begin with 'eventspace-streams 2'"));
  EXPECT_THAT(sheet_fault("eventspace-streams 2\n"), HasSubstr("not complete"));
  const std::string secret = sheet_fault("eventspace-streams 2\nlistening SECRET\n");
  EXPECT_THAT(secret, HasSubstr("line 2"));
  EXPECT_THAT(secret, Not(HasSubstr("SECRET")));
  EXPECT_THAT(sheet_fault("eventspace-streams 2\nprocess x\n"), HasSubstr("its number cannot be read"));
  StartSheet broken = a_sheet();
  broken.options.back_end = {"two\nlines"};
  EXPECT_THROW((void)to_text(broken), ConfigurationError);
}

TEST(StartSheetTest, AProcessThatItsTreeLacksIsRefused) {
  StartSheet sheet = a_sheet();
  sheet.keys.clear();
  sheet.process = 9;
  std::istringstream input(to_text(sheet));
  EXPECT_THROW((void)serve_start_sheet(input), ConfigurationError);
}

}  // namespace
}  // namespace eventspace::streams
