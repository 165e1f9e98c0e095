#include "monitors/web/documents/session_look.h"

#include <gmock/gmock.h>

#include <nlohmann/json.hpp>

#include <eventspace/probe.h>
#include <eventspace/session.h>
#include "tests/tuplespace/segment_directory.h"

// Looks at a session in this process.
namespace eventspace::web {
namespace {

using nlohmann::json;
using testing::HasSubstr;
using testing::IsEmpty;

json part_of(const Document::Parts& parts, const std::string& name) {
  for (const auto& [part, value] : parts)
    if (part == name) return json::parse(value.dump());
  return {};
}

class SessionLookTest : public testing::Test {
 protected:
  test::SegmentDirectory directory_;
  Session session_{Session::open("job", {.process = "job:1", .node = "n1", .collect = {}})};
};

// The trace element of a thread's probes keeps the newest 1000 records.
TEST_F(SessionLookTest, EventsAreReadOnWhileNoPageWantsThem) {
  const auto pass_probes = [](int count) {
    for (int i = 0; i < count; ++i) EVENTSPACE_PROBE("step");
  };
  pass_probes(1);
  SessionLook look({.named = "job"});
  (void)look.look({});
  const WantedParts profile{.names = {"profile"}};
  ASSERT_EQ(part_of(look.read_events(profile), "profile")["reading"]["lost"], 0);
  for (int i = 0; i < 3; ++i) {
    pass_probes(600);
    EXPECT_THAT(look.read_events({}), IsEmpty());
  }
  EXPECT_EQ(part_of(look.read_events(profile), "profile")["reading"]["lost"], 0);
}

TEST_F(SessionLookTest, PartsOfEventsAreNotMadeBeforeAPageWantsThem) {
  SessionLook look({.named = "job"});
  (void)look.look({});
  EXPECT_THAT(look.read_events({}), IsEmpty());
  EXPECT_TRUE(part_of(look.read_events({.all = true}), "call_sites").is_object());
}

TEST_F(SessionLookTest, TheVerdictSaysIfAStallMayBeShownLate) {
  using namespace std::chrono_literals;
  SessionLook look({.named = "job", .pace = {.stall = 2s, .interval = 10s}});
  const auto warning = [&] { return json::parse(verdict_part(look.look({})).dump())["warning"]; };
  EXPECT_THAT(warning().get<std::string>(),
              HasSubstr("with one pull every 10.0s, a stall may be reported more than"));
  look.set_interval(1s);
  EXPECT_TRUE(warning().is_null());
}

}  // namespace
}  // namespace eventspace::web
