#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <array>
#include <cstdlib>
#include <filesystem>

#include "paths/links/local_endpoint.h"
#include "tests/paths/server_talk.h"
#include "tests/tuplespace/second_user.h"
#include "tests/tuplespace/temporary_directory.h"
#include "tuplespace/sockets/session_socket.h"

// Servers that are reached through a local endpoint.
namespace eventspace {
namespace {

using test::SecondUser;

/// Returns the number of bytes that a server sends unrequested to a process that connects to its socket:
/// ZeroMQ's greeting, or 0 if it ends the connection; -1 if the process cannot connect.
ssize_t greeting_of(const std::string& path) {
  const int own = ::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  path.copy(address.sun_path, sizeof address.sun_path - 1);
  std::array<char, 10> greeting{};
  const bool connected = ::connect(own, reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0;
  const ssize_t size = connected ? ::recv(own, greeting.data(), greeting.size(), MSG_WAITALL) : -1;
  ::close(own);
  return size;
}

class LocalSocketTest : public testing::Test {
 protected:
  struct Place : test::TemporaryDirectory {
    Place() { ::setenv("XDG_RUNTIME_DIR", path().c_str(), 1); }
    ~Place() { ::unsetenv("XDG_RUNTIME_DIR"); }
    Place(const Place&) = delete;
    Place& operator=(const Place&) = delete;
  };

  void serve() {
    server = std::make_unique<Server>(network, Server::Config{endpoint, "node n1", "wind", 0xfeed, {}, {}});
    server->start();
  }
  [[nodiscard]] static std::string path() {
    return address_of(endpoint, "wind").substr(sizeof("ipc://") - 1);
  }

  const Place place;
  inline static const std::string endpoint{"local://node/n1"};
  Network network{{}, WhenLost::reconnect, NodeClock(), "wind"};
  std::unique_ptr<Server> server;
};

TEST_F(LocalSocketTest, AnAddressIsTheSameForAllProcessesOfASessionAndOtherEndpointsAreTheirOwn) {
  EXPECT_EQ(address_of(endpoint, "wind"), "ipc://" + path());
  EXPECT_NE(address_of(endpoint, "gas"), address_of(endpoint, "wind"));
  EXPECT_EQ(address_of("tcp://127.0.0.1:7101", "wind"), "tcp://127.0.0.1:7101");
}

TEST_F(LocalSocketTest, AServerAnswersThere) {
  serve();
  LinkPool links(network);
  Link& link = links.to(endpoint);
  const std::uint64_t id = link.next_id();
  ASSERT_TRUE(link.send(id, wire::encode(wire::Kind::ping, id), nullptr));
  const auto reply = link.wait(id, Deadline::after(std::chrono::seconds(60)));
  ASSERT_TRUE(reply);
  EXPECT_EQ(reply->kind, wire::Kind::report);
}

// The mode of the directory keeps others out; this holds even if its owner opens it to all.
TEST_F(LocalSocketTest, TheUserOfEachConnectionIsChecked) {
  if (!SecondUser::possible()) GTEST_SKIP() << SecondUser::why_not;
  serve();
  const std::string socket = path();
  EXPECT_TRUE(SecondUser::can([&] { return greeting_of(socket) == -1; }));
  for (auto at = std::filesystem::path(socket); at != place.path().parent_path(); at = at.parent_path())
    ::chmod(at.c_str(), 0777);
  EXPECT_TRUE(SecondUser::can([&] { return greeting_of(socket) == 0; }));
  EXPECT_EQ(greeting_of(socket), 10);
}

}  // namespace
}  // namespace eventspace
