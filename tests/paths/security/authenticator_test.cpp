#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/wait.h>

#include <chrono>
#include <string>

#include "tests/paths/security/secure_session.h"

// Servers with keys, on loopback: which peers are admitted, and the messages to the others.

namespace eventspace {
namespace {

using test::eventually;

using test::KeysOfSession;
using test::Peer;
using test::SecureServer;

using testing::HasSubstr;

TEST(Authenticator, APeerWithTheKeysOfTheSessionReadsAndWrites) {
  const KeysOfSession session;
  SecureServer server(session.of_owner());
  Peer peer(server.endpoint(), session.of_owner());
  EXPECT_EQ(peer.write(), Status::ok);
  EXPECT_EQ(peer.take(), "1");
  EXPECT_EQ(server.report().handshakes_refused, 0u);
}

TEST(Authenticator, AnUnlistedKeyIsRefusedWithAMessageAndNotATimeout) {
  const KeysOfSession session;
  SecureServer server(session.of_owner());
  Peer peer(server.endpoint(), session.of(make_curve_keys()));
  const std::string told = peer.take();
  EXPECT_THAT(told, HasSubstr(server.endpoint() + " refuses this process's key (the keys of the test)"));
  EXPECT_TRUE(eventually([&] { return server.report().handshakes_refused > 0; }));
}

TEST(Authenticator, KeysOfAnotherSessionAreRefusedWithAMessageAndNotATimeout) {
  SecureServer server(KeysOfSession().of_owner());
  Peer peer(server.endpoint(), KeysOfSession().of_owner());
  EXPECT_THAT(peer.take(), HasSubstr("does not have the keys of this process (the keys of the test)"));
  EXPECT_TRUE(eventually([&] { return server.report().handshakes_refused > 0; }));
}

TEST(Authenticator, APeerWithoutKeysIsRefusedWithAMessageAndNotATimeout) {
  SecureServer server(KeysOfSession().of_owner());
  Peer peer(server.endpoint(), nullptr);
  EXPECT_THAT(peer.take(), HasSubstr("asks for keys, and this process has none"));
  EXPECT_TRUE(eventually([&] { return server.report().handshakes_refused > 0; }));
}

TEST(Authenticator, APeerWithKeysDoesNotSpeakToAServerWithout) {
  SecureServer server(nullptr);
  Peer peer(server.endpoint(), KeysOfSession().of_owner());
  EXPECT_THAT(peer.take(), HasSubstr("has no keys, and this process connects only to servers with keys"));
}

TEST(Authenticator, ARefusedPeerDoesNotDisturbTheOthers) {
  const KeysOfSession session;
  SecureServer server(session.of_owner());
  Peer good(server.endpoint(), session.of_owner());
  for (int i = 0; i < 10; ++i) {
    Peer bad(server.endpoint(), session.of(make_curve_keys()));
    EXPECT_EQ(bad.write(), Status::refused);
    EXPECT_EQ(good.write(), Status::ok);
    EXPECT_EQ(good.take(), "1");
  }
}

TEST(Authenticator, ServersOfTwoSessionsInOneProcessAdmitOnlyTheirOwn) {
  const KeysOfSession one;
  const KeysOfSession other;
  SecureServer first(one.of_owner());
  SecureServer second(other.of_owner());
  // The other session's client key, with the right key of the server: only the list prevents it.
  auto mixed = std::make_shared<SessionSecurity>(SessionSecurity{
      make_curve_keys(), other.listening.open, copy_of(one.connecting), {}, "mixed keys", {}, {}});
  Peer intruder(second.endpoint(), mixed);
  EXPECT_THAT(intruder.take(), HasSubstr("refuses this process's key (mixed keys)"));
  EXPECT_EQ(Peer(first.endpoint(), one.of_owner()).write(), Status::ok);
  EXPECT_EQ(Peer(second.endpoint(), other.of_owner()).write(), Status::ok);
}

TEST(Authenticator, AnObserverOpensOnlyWhatIsForObserversAndOnlyPulls) {
  const KeysOfSession session;
  SecureServer server(session.of_owner());
  Peer element(server.endpoint(), session.of(session.observing));
  EXPECT_THAT(element.take(), HasSubstr("an observer may only pull through scopes"));
  Peer seen(server.endpoint(), session.of(session.observing), "seen");
  EXPECT_THAT(seen.take(), HasSubstr("an observer may only pull"));
  EXPECT_EQ(seen.write(), Status::refused);
}

TEST(Authenticator, AServerThatComesBackWithTheRightKeysIsReached) {
  const KeysOfSession session;
  auto wrong = std::make_unique<SecureServer>(KeysOfSession().of_owner());
  Peer peer(wrong->endpoint(), session.of_owner());
  EXPECT_EQ(peer.write(), Status::refused);
  const std::string endpoint = wrong->endpoint();
  wrong.reset();
  Network network({}, WhenLost::reconnect, NodeClock(), {}, session.of_owner());
  Element element{{.name = "channel", .signature = {FieldType::integer}, .threshold = 9}};
  Server right(
      network,
      {endpoint,
       "test",
       "test",
       1,
       {{"element", element_kind([&](Bytes, LinkPool&) { return std::make_unique<ElementStage>(element); })}},
       {}});
  right.start();
  EXPECT_TRUE(eventually([&] { return peer.write() == Status::ok; }));
}

// The parent's context, keys and authenticator are useless to a child, which makes its own.
TEST(Authenticator, AForkedChildMakesItsOwn) {
  const KeysOfSession session;
  SecureServer server(session.of_owner());
  ASSERT_EQ(Peer(server.endpoint(), session.of_owner()).write(), Status::ok);
  const pid_t child = ::fork();
  if (child == 0) {
    const bool wiped = text_of(session.connecting.secret.bytes()) == std::string(40, '0');
    const KeysOfSession own;
    SecureServer of_child(own.of_owner());
    Peer peer(of_child.endpoint(), own.of_owner());
    ::_exit(wiped && peer.write() == Status::ok ? 0 : 1);
  }
  int status = -1;
  ASSERT_EQ(::waitpid(child, &status, 0), child);
  EXPECT_EQ(status, 0);
}

}  // namespace
}  // namespace eventspace
