#include "monitors/moments/asked_moment.h"

#include <gmock/gmock.h>

#include <eventspace/error.h>
#include "tests/error_text.h"

// Moments of a recording in the user's notation. It begins on 24 November 2026 at 23:59:50.5 and is 20 s
// long.
namespace eventspace {
namespace {

using testing::AllOf;
using testing::HasSubstr;

constexpr std::int64_t ms = 1'000'000;
constexpr std::int64_t begin = 1'795'564'790'500 * ms;
constexpr Covered covered{begin, std::chrono::seconds(20)};

std::int64_t found(const std::string& text) {
  const auto moment = AskedMoment::read(text);
  if (!moment) return -1;
  return since_begin(*moment, covered, "--at").count();
}

std::string refusal(const std::string& text) {
  return test::error_text<ConfigurationError>([&] { found(text); });
}

TEST(AskedMoment, IsATimeSinceTheBeginning) {
  EXPECT_EQ(found("0"), 0);
  EXPECT_EQ(found("2"), 2000 * ms);
  EXPECT_EQ(found("1.5s"), 1500 * ms);
  EXPECT_EQ(found("300ms"), 300 * ms);
}

TEST(AskedMoment, IsATimeOfDayEvenBehindMidnight) {
  EXPECT_EQ(found("23:59:51"), 500 * ms);
  EXPECT_EQ(found("23:59:50.75"), 250 * ms);
  EXPECT_EQ(found("00:00"), 9500 * ms);
  EXPECT_EQ(found("00:00:10.5Z"), 20'000 * ms);
}

TEST(AskedMoment, IsADateAndATimeOfAnyZone) {
  EXPECT_EQ(found("2026-11-24T23:59:51Z"), 500 * ms);
  EXPECT_EQ(found("2026-11-24 23:59:51"), 500 * ms);
  EXPECT_EQ(found("2026-11-25T00:00:00.000000001"), 9'500'000'001);
  EXPECT_EQ(found("2026-11-25T00:59:51+01:00"), 500 * ms);
  EXPECT_EQ(found("2026-11-24T18:29:51-05:30"), 500 * ms);
}

TEST(AskedMoment, OutsideOfTheRecordingIsRefusedWithWhatItCovers) {
  EXPECT_THAT(refusal("21s"),
              AllOf(HasSubstr("--at 21s: the recording is 20s long"),
                    HasSubstr("from 2026-11-24T23:59:50.500000000Z to 2026-11-25T00:00:10.500000000Z")));
  EXPECT_THAT(refusal("23:59:50"), HasSubstr("--at 23:59:50: the recording is"));
  EXPECT_THAT(refusal("12:00:00"), HasSubstr("the recording is"));
  EXPECT_THAT(refusal("2025-11-24T23:59:51Z"), HasSubstr("the recording is"));
}

TEST(AskedMoment, OtherTextsAreRefused) {
  for (const char* const text :
       {"", "soon", "-1s", "12:", "1:02:03", "24:00:00", "12:60", "12:00:60", "12:00:00.", "12:00:00x",
        "2026-11-24", "2026-11-24T", "2026-02-30T12:00:00", "2026-13-01T12:00", "2026-11-24T12:00:00+1",
        "2026-11-24T12:00:00Zulu", "1969-12-31T23:59:59", "9999-01-01T00:00:00", "12:00:00+01:00"}) {
    EXPECT_FALSE(AskedMoment::read(text)) << text;
  }
}

}  // namespace
}  // namespace eventspace
