#include "paths/sockets/accepted_connection.h"

#include <arpa/inet.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <array>
#include <string>

#include "tests/tuplespace/temporary_directory.h"

namespace eventspace {
namespace {

/// A listening socket of the given kind, and one connection to it.
class AcceptedConnectionTest : public testing::TestWithParam<bool> {
 protected:
  AcceptedConnectionTest() {
    sockaddr_storage address{};
    socklen_t size = 0;
    if (is_local()) {
      auto& local = reinterpret_cast<sockaddr_un&>(address);
      local.sun_family = AF_UNIX;
      const std::string path = directory.path() / "socket";
      path.copy(local.sun_path, sizeof local.sun_path - 1);
      endpoint = "ipc://" + path;
      size = sizeof local;
    } else {
      auto& tcp = reinterpret_cast<sockaddr_in&>(address);
      tcp.sin_family = AF_INET;
      tcp.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
      size = sizeof tcp;
    }
    auto* const generic = reinterpret_cast<sockaddr*>(&address);
    listener = ::socket(address.ss_family, SOCK_STREAM | SOCK_CLOEXEC, 0);
    EXPECT_EQ(::bind(listener, generic, size), 0);
    EXPECT_EQ(::listen(listener, 5), 0);
    EXPECT_EQ(::getsockname(listener, generic, &size), 0);
    if (!is_local()) {
      const auto port = ntohs(reinterpret_cast<sockaddr_in&>(address).sin_port);
      endpoint = "tcp://127.0.0.1:" + std::to_string(port);
    }
    peer = ::socket(address.ss_family, SOCK_STREAM | SOCK_CLOEXEC, 0);
    EXPECT_EQ(::connect(peer, generic, size), 0);
    accepted = ::accept(listener, nullptr, nullptr);
  }
  ~AcceptedConnectionTest() override {
    for (const int descriptor : {listener, peer, accepted}) ::close(descriptor);
  }
  static bool is_local() { return GetParam(); }
  /// Takes that many bytes from the connection, as ZeroMQ does.
  void take(std::size_t bytes) const {
    std::array<char, 1000> some{};
    ASSERT_EQ(::recv(accepted, some.data(), bytes, MSG_WAITALL), static_cast<ssize_t>(bytes));
  }
  [[nodiscard]] bool is_open() const {
    char byte = 0;
    return ::recv(peer, &byte, 1, MSG_DONTWAIT) != 0;  // 0: ended
  }

  test::TemporaryDirectory directory;
  std::string endpoint;
  int listener{-1}, peer{-1}, accepted{-1};
};

INSTANTIATE_TEST_SUITE_P(Sockets, AcceptedConnectionTest, testing::Bool(),
                         [](const auto& given) { return given.param ? "Local" : "Tcp"; });

TEST_P(AcceptedConnectionTest, TheKernelCountsWhatIsTakenAndNotWhatWaits) {
  ReceivedBytes bytes(accepted);
  EXPECT_EQ(bytes.so_far(accepted), 0u);
  const std::array<char, 1000> some{};
  ASSERT_EQ(::send(peer, some.data(), some.size(), 0), 1000);
  take(700);
  EXPECT_EQ(bytes.so_far(accepted), 700u);
  take(300);
  EXPECT_EQ(bytes.so_far(accepted), 1000u);
}

TEST_P(AcceptedConnectionTest, AConnectionOfTheListenerIsEnded) {
  EXPECT_TRUE(ListenAddress(endpoint).accepted(accepted));
  cut_off(accepted, ListenAddress(endpoint));
  EXPECT_FALSE(is_open());
}

TEST_P(AcceptedConnectionTest, AnythingElseUnderTheNumberIsLeftAlone) {
  const std::string other = is_local() ? endpoint + "-other" : "tcp://127.0.0.1:1";
  EXPECT_FALSE(ListenAddress(other).accepted(accepted));
  cut_off(accepted, ListenAddress(other));
  EXPECT_TRUE(is_open());
  EXPECT_FALSE(ListenAddress(endpoint).accepted(STDERR_FILENO)) << "a file";
  EXPECT_FALSE(ListenAddress(endpoint).accepted(-1)) << "nothing";
}

}  // namespace
}  // namespace eventspace
