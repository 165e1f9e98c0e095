#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <random>
#include <string>

#include "tests/paths/security/meddling_proxy.h"
#include "tests/paths/security/secure_session.h"

// An attacker between a peer and a server reads, changes, cuts and repeats the bytes of their connection.

namespace eventspace {
namespace {

using namespace std::chrono_literals;
using test::eventually;
using test::KeysOfSession;
using test::MeddlingProxy;
using test::Peer;
using test::SecureServer;
using Way = MeddlingProxy::Way;

bool let_pass(Way /*way*/, std::uint64_t /*offset*/, std::string& /*bytes*/) { return true; }

/// Flips one bit of the first connection, `at` bytes after its begin in one direction.
MeddlingProxy::Meddle flip(Way at_way, std::uint64_t at, bool& done) {
  return [at_way, at, &done](Way way, std::uint64_t offset, std::string& bytes) {
    if (done || way != at_way || at < offset || at >= offset + bytes.size()) return true;
    bytes[at - offset] = static_cast<char>(bytes[at - offset] ^ 0x10);
    done = true;
    return true;
  };
}

MeddlingProxy::Meddle cut(Way at_way, std::uint64_t at, bool& done) {
  return [at_way, at, &done](Way way, std::uint64_t offset, std::string& bytes) {
    if (done || way != at_way || at >= offset + bytes.size()) return true;
    done = true;
    return false;
  };
}

constexpr std::uint64_t bytes_of_a_conversation = 900;  // more than the handshake and one operation

class AttackedLink : public testing::Test {
 protected:
  // Writes the number through the proxy, and checks that the server has it unchanged, once, or not at all.
  void expect_all_or_nothing(const MeddlingProxy& proxy, std::int64_t number) {
    Peer peer(test::local_endpoint(proxy.port()), session.of_owner());
    const Status status = peer.path.write(test::number(number), Deadline::after(500ms));
    Peer direct(server.endpoint(), session.of_owner());
    const Received stored = direct.path.take(From::oldest, Deadline::now());
    EXPECT_TRUE(stored || status != Status::ok);
    EXPECT_EQ(stored ? stored.tuple.get<std::int64_t>(0) : number, number);
    EXPECT_FALSE(direct.path.take(From::oldest, Deadline::now())) << "it was stored twice";
  }

  KeysOfSession session;
  SecureServer server{session.of_owner()};
};

/// Returns all bytes of a connection over which a peer writes some tuples.
std::string seen_of_writes(const SecureServer& server, std::shared_ptr<const SessionSecurity> security) {
  std::string seen;
  std::mutex mutex;
  {
    MeddlingProxy proxy(server.port(), [&](Way, std::uint64_t, std::string& bytes) {
      const std::lock_guard lock(mutex);
      seen += bytes;
      return true;
    });
    Peer peer(test::local_endpoint(proxy.port()), std::move(security));
    for (int i = 0; i < 5; ++i) EXPECT_EQ(peer.path.write(test::number(0x2122232425262728)), Status::ok);
  }
  return seen;
}

TEST_F(AttackedLink, NothingThatPassesIsReadable) {
  const std::string seen = seen_of_writes(server, session.of_owner());
  EXPECT_NE(seen.find("CURVE"), std::string::npos);  // the greeting is visible: the attacker sees this link
  for (const std::string secret : {"element", "channel", "('&%$#\"!", "!\"#$%&'("})
    EXPECT_EQ(seen.find(secret), std::string::npos) << secret;
  for (const CurveKeys* const keys : {&session.connecting, &session.listening}) {
    const auto bytes = keys->secret.bytes();
    EXPECT_EQ(seen.find(std::string(bytes.begin(), bytes.end())), std::string::npos);
    EXPECT_EQ(seen.find(text_of(bytes)), std::string::npos);
    EXPECT_EQ(seen.find(std::string(keys->open.begin(), keys->open.end())), std::string::npos)
        << "even the public keys do not pass in the open";
  }
}

// The attacker of the test above does see everything of a link without keys.
TEST(OpenLink, EverythingThatPassesIsReadable) {
  SecureServer server(nullptr);
  const std::string seen = seen_of_writes(server, nullptr);
  EXPECT_NE(seen.find("element"), std::string::npos);
  EXPECT_NE(seen.find("!\"#$%&'("), std::string::npos);
}

TEST_F(AttackedLink, AFlippedBitNeverChangesWhatIsStored) {
  std::mt19937 random(4711);
  std::int64_t number = 0;
  for (const Way way : {Way::to_server, Way::to_client}) {
    for (int i = 0; i < 20; ++i) {
      bool done = false;
      const std::uint64_t at = random() % bytes_of_a_conversation;
      SCOPED_TRACE("byte " + std::to_string(at));
      MeddlingProxy proxy(server.port(), flip(way, at, done));
      expect_all_or_nothing(proxy, ++number);
    }
  }
}

TEST_F(AttackedLink, ACutConnectionNeverStoresHalfOrTwice) {
  std::int64_t number = 0;
  for (const Way way : {Way::to_server, Way::to_client}) {
    for (std::uint64_t at = 0; at < bytes_of_a_conversation; at += 45) {
      bool done = false;
      SCOPED_TRACE("byte " + std::to_string(at));
      MeddlingProxy proxy(server.port(), cut(way, at, done));
      expect_all_or_nothing(proxy, ++number);
    }
  }
}

TEST_F(AttackedLink, ARepeatedConversationIsRefusedAndStoresNothing) {
  std::string conversation;
  {
    MeddlingProxy proxy(server.port(), let_pass);
    Peer peer(test::local_endpoint(proxy.port()), session.of_owner());
    ASSERT_EQ(peer.write(), Status::ok);
    conversation = proxy.sent();
  }
  Peer owner(server.endpoint(), session.of_owner());
  ASSERT_EQ(owner.take(), "1");
  const std::uint64_t refused = server.report().handshakes_refused;
  {
    const FileHandle again = test::connect_to(server.port());
    ASSERT_EQ(::send(again.get(), conversation.data(), conversation.size(), MSG_NOSIGNAL),
              static_cast<ssize_t>(conversation.size()));
    ::shutdown(again.get(), SHUT_WR);
    std::string answer(65536, '\0');
    while (::recv(again.get(), answer.data(), answer.size(), 0) > 0) {
    }
  }
  EXPECT_TRUE(eventually([&] { return server.report().handshakes_refused > refused; }));
  EXPECT_FALSE(owner.path.take(From::oldest, Deadline::now()));
}

}  // namespace
}  // namespace eventspace
