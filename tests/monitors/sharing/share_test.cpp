#include <gmock/gmock.h>
#include <sys/stat.h>

#include <chrono>

#include "tests/monitors/workplace.h"

// `eventspace share` and `unshare`: the rights of the holder of a token, and when they end.
namespace eventspace {
namespace {

using namespace std::chrono_literals;
using testing::AllOf;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;
using testing_commands::Call;
using testing_commands::free_port;

/// A session with its servers, and a colleague, whose runtime directory does not contain the session's keys.
class Share : public testing_commands::Workplace {
 protected:
  void SetUp() override {
    pathmap_ = tiny(free_port(), free_port(), testing_commands::monitors_scopes);
    token_ = file("token");
    std::filesystem::create_directory(file("colleague"));
    ::chmod(file("colleague").c_str(), 0700);
    start_servers_of(pathmap_);
    share_ = std::make_unique<Call>(call({"share", pathmap_, "--host", "127.0.0.1", "-o", token_}));
    ASSERT_EQ(share_->status(), 0) << share_->err();
  }
  void TearDown() override {
    if (!down_) call({"down", pathmap_});
    EXPECT_THAT(processes_with("share"), IsEmpty());
  }
  Call by_colleague(std::vector<std::string> arguments) {
    Call made = start(arguments, {"env", "XDG_RUNTIME_DIR=" + file("colleague").string()});
    made.status();
    return made;
  }
  Call observe() {
    return by_colleague({"heartbeat", pathmap_, "--once", "--timeout", "2s", "--token", token_});
  }

  std::filesystem::path pathmap_;
  std::filesystem::path token_;
  std::unique_ptr<Call> share_;
  bool down_{false};
};

TEST_F(Share, AColleagueWithTheTokenPullsAndWithoutItIsRefused) {
  Call application = start_application_of(pathmap_, {TINY_APP});
  const Call seen = observe();
  EXPECT_THAT(seen.out(), AllOf(HasSubstr("2 threads: 2 running"), Not(HasSubstr("missing"))));
  const Call refused = by_colleague({"heartbeat", pathmap_, "--once"});
  EXPECT_THAT(refused.out(), IsEmpty());
  EXPECT_THAT(refused.err(), AllOf(HasSubstr("does not have the keys of this process"),
                                   HasSubstr(file("colleague").string())));
}

TEST_F(Share, TheTokenIsForItsOwnerOnlyAndHasNoKeyOfTheSession) {
  struct stat status {};
  ASSERT_EQ(::stat(token_.c_str(), &status), 0);
  EXPECT_EQ(status.st_mode & 07777, 0600u);
  const std::string token = testing_commands::read_text(token_);
  EXPECT_THAT(token, AllOf(HasSubstr("eventspace-token 1\n"), HasSubstr("gateway tcp://127.0.0.1:")));
}

TEST_F(Share, AnObserverCannotSwitchWhatIsRecorded) {
  Call switched = start({"switch", pathmap_, "off"}, {"env", "XDG_RUNTIME_DIR=" + file("colleague").string(),
                                                      "EVENTSPACE_SHM_DIR=" + file("colleague").string(),
                                                      "EVENTSPACE_KEYS=" + token_.string()});
  EXPECT_NE(switched.status(), 0);
  EXPECT_THAT(switched.err() + switched.out(), HasSubstr("an observer may only pull through scopes"));
}

TEST_F(Share, AfterUnshareAnObserverGetsNothingAlsoOnAConnectionThatExists) {
  Call watching =
      start({"heartbeat", pathmap_, "--interval", "50ms", "--timeout", "500ms", "--token", token_},
            {"env", "XDG_RUNTIME_DIR=" + file("colleague").string()});
  ASSERT_TRUE(watching.says("2 threads: 2 not started")) << watching.err();
  ASSERT_THAT(call({"unshare", pathmap_}).out(), HasSubstr("is closed to observers"));
  EXPECT_TRUE(watching.says("2 unreachable"));
  Call late = observe();
  EXPECT_EQ(late.status(), 3);
  EXPECT_THAT(late.out(), IsEmpty());
  EXPECT_THAT(late.err(), HasSubstr("the observers' port tcp://127.0.0.1:"));
  watching.signal(SIGTERM);
  // A port that is opened again has new keys: the old token stays invalid.
  ASSERT_EQ(call({"share", pathmap_, "--host", "127.0.0.1", "-o", file("second")}).status(), 0);
  Call old = observe();
  EXPECT_EQ(old.status(), 3);
  EXPECT_THAT(old.out(), IsEmpty());
}

TEST_F(Share, TheFileOfATokenIsNotOverwritten) {
  call({"unshare", pathmap_});
  const Call again = call({"share", pathmap_, "--host", "127.0.0.1", "-o", token_});
  EXPECT_THAT(again.err(), AllOf(HasSubstr("cannot make " + token_.string()), HasSubstr("File exists")));
}

TEST_F(Share, DownClosesThePortAndLeavesNoKeys) {
  down_ = true;
  EXPECT_EQ(call({"down", pathmap_}).status(), 0);
  EXPECT_THAT(processes_with("share"), IsEmpty());
  for (const auto& entry : std::filesystem::recursive_directory_iterator(file(".")))
    EXPECT_NE(entry.path().filename(), "keys") << entry.path();
}

}  // namespace
}  // namespace eventspace
