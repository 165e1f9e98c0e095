#include <fmt/format.h>
#include <gmock/gmock.h>
#include <signal.h>

#include <array>
#include <fstream>
#include <sstream>

#include "paths/security/key_file.h"
#include "tests/hosts/hosts_ground.h"
#include "tests/hosts/link_capture.h"
#include "tests/monitors/workplace.h"

// The information that an attacker gets from the packets between the hosts of a session. The keys come to the
// hosts as in real life: `up` passes them through the launcher.
namespace eventspace {
namespace {

using testing::HasSubstr;
using testing_commands::Call;
using testing_hosts::LinkCapture;

class CapturedLink : public testing_commands::Workplace {
 protected:
  // Starts the servers, runs an application, watches it with monitors, and stops all; returns the packets.
  std::string capture(const std::filesystem::path& pathmap) {
    const LinkCapture capture;
    start_servers_of(pathmap);
    keys_ = testing_commands::read_text(file("eventspace/tiny/keys"));
    Call application = start_application_of(pathmap, {TINY_APP});
    Call looked = call({"heartbeat", pathmap, "--once"});
    EXPECT_THAT(looked.out(), HasSubstr("2 threads: 2 running")) << looked.err();
    application.signal(SIGTERM);
    application.status();
    EXPECT_EQ(call({"down", pathmap}).status(), 0);
    return capture.seen();
  }

  const std::filesystem::path pathmap_{
      tiny(testing_commands::free_port(), testing_commands::free_port(), testing_commands::monitors_scopes)};
  std::string keys_;  // the key file, while the servers ran
};

constexpr std::array told{"the server of node n1", "heartbeat", "scope", "tcp://", "eventspace"};

TEST_F(CapturedLink, BetweenHostsNothingIsReadable) {
  const std::string seen = capture(pathmap_);
  EXPECT_THAT(seen, HasSubstr("CURVE")) << "the capture is of this link";
  for (const char* const name : told) EXPECT_EQ(seen.find(name), std::string::npos) << name;

  const SessionKeys keys = parse_session_keys(keys_, "the file");
  for (const CurveKeys* const pair : {&keys.listening, &keys.connecting}) {
    const auto secret = pair->secret.bytes();
    EXPECT_EQ(seen.find(text_of(secret)), std::string::npos);
    EXPECT_EQ(seen.find(std::string(secret.begin(), secret.end())), std::string::npos);
    EXPECT_EQ(seen.find(std::string(pair->open.begin(), pair->open.end())), std::string::npos);
  }
}

// The same capture without keys: the attacker of the test above would see the data.
TEST_F(CapturedLink, WithSecurityNoneItIs) {
  std::ofstream(pathmap_, std::ios::app) << "security: none\n";
  const std::string seen = capture(pathmap_);
  EXPECT_THAT(keys_, testing::IsEmpty()) << "no keys are made that nothing uses";
  EXPECT_NE(seen.find("the server of node n1"), std::string::npos);
  EXPECT_NE(seen.find("scope"), std::string::npos);
}

TEST_F(CapturedLink, NoKeyIsInAnArgumentAVariableOrALog) {
  start_servers_of(pathmap_);
  Call application = start_application_of(pathmap_, {TINY_APP});
  const std::string text = testing_commands::read_text(file("eventspace/tiny/keys"));
  std::istringstream words(text);
  std::vector<std::string> secrets;
  for (std::string word; words >> word;) {
    if (word.size() == 40) secrets.push_back(word);
  }
  ASSERT_EQ(secrets.size(), 2u);
  std::string public_text;
  for (const char* const kind : {"serve", "tiny_app", "run"}) {
    for (const int pid : processes_with(kind)) {
      for (const char* const where : {"cmdline", "environ"})
        public_text += testing_commands::read_text(fmt::format("/proc/{}/{}", pid, where));
    }
  }
  for (const auto& entry : std::filesystem::recursive_directory_iterator(file("."))) {
    if (entry.is_regular_file() && entry.path().filename() != "keys")
      public_text += testing_commands::read_text(entry.path());
  }
  EXPECT_THAT(public_text, HasSubstr("serving node n1"));
  for (const std::string& secret : secrets) EXPECT_EQ(public_text.find(secret), std::string::npos);
  call({"down", pathmap_});
}

TEST_F(CapturedLink, AHostWithOtherKeysIsRefusedWithTheReason) {
  start_servers_of(pathmap_);
  ground().address("n3");
  std::vector<std::string> elsewhere = ground().launch("n3");  // a host whose directory is without keys
  Call refused = start({"heartbeat", pathmap_, "--once"}, elsewhere);
  refused.status();
  EXPECT_THAT(refused.err(), HasSubstr("does not have the keys of this process"));
  call({"down", pathmap_});
}

TEST_F(CapturedLink, TheKeysEndOnAllHostsWithDown) {
  start_servers_of(pathmap_);
  EXPECT_TRUE(std::filesystem::exists(file("n1/eventspace/tiny/keys")));
  EXPECT_EQ(call({"down", pathmap_}).status(), 0);
  for (const auto& entry : std::filesystem::recursive_directory_iterator(file(".")))
    EXPECT_NE(entry.path().filename(), "keys") << entry.path();
}

}  // namespace
}  // namespace eventspace
