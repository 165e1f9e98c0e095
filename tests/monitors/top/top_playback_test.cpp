#include <gmock/gmock.h>

#include <thread>

#include "monitors/top/display.h"
#include "pathmaps/pathmap.h"
#include "tests/monitors/top/top_story.h"
#include "tests/scopes/recordings/recorded.h"

// The playback of a recording, and its keys. The recording is 100 s long and begins at 10:00:00.
namespace eventspace::top {
namespace {

using testing::HasSubstr;
using namespace std::chrono_literals;

constexpr std::int64_t second = 1'000'000'000;

class TopPlayback : public test::Recorded {
 protected:
  TopPlayback() {
    auto of = config();
    of.session.begun_ns = 5 * second;
    of.session.realtime_ns = (std::int64_t{20'000} * 86'400 + 36'000 - 5) * second;
    RecordingWriter writer(of);
    writer.add_state(view_of({}), 5 * second);
    writer.add_state(view_of({}), 105 * second);
    writer.end({.reason = "end", .ended_ns = 105 * second});
  }

  Playback& playback() {
    if (!playback_) {
      replay_.emplace(RecordingReader(file()), names_, std::vector<RecordedTrace>{});
      playback_.emplace(*replay_, 0s);
      playback_->play(false);
      playback_->seek(0s);  // it has played for a moment
      EXPECT_TRUE(playback_->take_jump());
      display_.show_recording(*playback_);
    }
    return *playback_;
  }
  void press(const std::string& letters) {
    playback();
    for (const char c : letters)
      display_.press({c == '\r' ? KeyName::enter : KeyName::character, {c}}, state_);
  }
  std::string shown() {
    playback();
    return display_.draw(state_, {24, 80}).text();
  }

  State state_;
  Plan plan_ = require_plan(EVENTSPACE_EXAMPLES "/windtunnel-four-nodes.yaml");
  NamesOfPlan plan_names_{std::make_shared<const Plan>(plan_)};
  Display display_{plan_, plan_names_, "run.evs", Charset::utf8};
  std::optional<Replay> replay_;
  std::optional<Playback> playback_;
};

TEST_F(TopPlayback, PausesAndResumes) {
  EXPECT_EQ(playback().position(), 0s);
  playback().play(true);
  while (playback().position() == 0s) std::this_thread::yield();
  playback().play(false);
  const auto stands = playback().position();
  EXPECT_GT(stands, 0s);
  EXPECT_EQ(playback().position(), stands);
  EXPECT_EQ(playback().now().time_since_epoch(), stands + 5s);
  EXPECT_EQ(replay_->now_ns(), (stands + 5s).count()) << "scopes read what was known then";
}

TEST_F(TopPlayback, StopsAtTheEnd) {
  playback().seek(100s - 1ns);
  playback().play(true);
  while (!playback().is_at_end()) std::this_thread::yield();
  EXPECT_EQ(playback().position(), 100s);
  EXPECT_TRUE(playback().wait(1s)) << "there is no more";
}

TEST_F(TopPlayback, IsAsFastAsItIsSet) {
  playback().set_speed(1024);
  EXPECT_EQ(playback().in_real_time(10s), 50ms) << "not more often";
  playback().set_speed(4);
  EXPECT_EQ(playback().in_real_time(1s), 250ms);
  playback().set_speed(0.25);
  EXPECT_EQ(playback().in_real_time(1s), 1s) << "a slow replay is still looked at";
  playback().set_speed(1e9);
  EXPECT_EQ(playback().speed(), Playback::fastest);
}

TEST_F(TopPlayback, KeysSeekWithinTheRecording) {
  press("]");
  EXPECT_EQ(playback().position(), 10s);
  EXPECT_TRUE(playback().take_jump());
  EXPECT_FALSE(playback().take_jump());
  press(".");
  EXPECT_EQ(playback().position(), 11s);
  press(",[");
  EXPECT_EQ(playback().position(), 0s);
  press("[");
  EXPECT_EQ(playback().position(), 0s) << "its beginning";
  press("}}");
  EXPECT_EQ(playback().position(), 100s) << "its end";
  press("{");
  EXPECT_EQ(playback().position(), 40s);
}

TEST_F(TopPlayback, KeysPlayPauseAndChangeTheSpeed) {
  press(" ");
  EXPECT_TRUE(playback().plays());
  press("p");
  EXPECT_FALSE(playback().plays());
  press("++-");
  EXPECT_EQ(playback().speed(), 2);
  EXPECT_FALSE(display_.is_paused()) << "that is for sessions that run";
}

TEST_F(TopPlayback, APromptSeeksToAnyTime) {
  press("g");
  EXPECT_THAT(shown(), HasSubstr(" go to: _"));
  press("10:00:12.5\r");
  EXPECT_EQ(playback().position(), 12'500ms);
  press("gsoon\r");
  EXPECT_THAT(shown(), HasSubstr("expected a time since the beginning"));
  EXPECT_EQ(playback().position(), 12'500ms);
}

TEST_F(TopPlayback, TheScreenSaysWhatIsShown) {
  press("]++");
  EXPECT_THAT(shown(), HasSubstr("PAUSED 10.0s of 1min 40s"));
  EXPECT_THAT(shown(), HasSubstr("p play  [ ] seek  + - speed  g go to"));
  state_.pulls = 1;
  EXPECT_THAT(shown(), HasSubstr("10:00:10.0"));
  press("}}p");
  EXPECT_THAT(shown(), HasSubstr("END 1min 40s of 1min 40s"));
  press("?");
  EXPECT_THAT(shown(), HasSubstr("back and forward: 10 s, 1 s, 1 min"));
}

}  // namespace
}  // namespace eventspace::top
