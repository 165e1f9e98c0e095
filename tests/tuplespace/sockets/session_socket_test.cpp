#include "tuplespace/sockets/session_socket.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstdlib>
#include <fstream>

#include <eventspace/error.h>
#include "tests/tuplespace/child.h"
#include "tests/tuplespace/temporary_directory.h"

namespace eventspace {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;
using testing::ThrowsMessage;

class SessionSocketTest : public testing::Test {
 protected:
  ~SessionSocketTest() override { ::unsetenv("XDG_RUNTIME_DIR"); }

  static fs::path file_of(const SessionSocket& socket) {
    return socket.endpoint().substr(sizeof("ipc://") - 1);
  }
  static void bind(const SessionSocket& socket) { std::ofstream(file_of(socket)) << ""; }

  struct Place : test::TemporaryDirectory {
    Place() { ::setenv("XDG_RUNTIME_DIR", path().c_str(), 1); }
  };

  const Place place;
  const SessionSocket n1{"gas", "local://node/n1"};
};

TEST_F(SessionSocketTest, EachServerOfEachSessionHasItsOwn) {
  EXPECT_EQ(SessionSocket("gas", "local://node/n1").endpoint(), n1.endpoint());
  EXPECT_NE(SessionSocket("gas", "local://node/n2").endpoint(), n1.endpoint());
  EXPECT_NE(SessionSocket("heat", "local://node/n1").endpoint(), n1.endpoint());
  EXPECT_NE(SessionSocket("gas").endpoint(), n1.endpoint());
  EXPECT_NE(SessionSocket("ab", "c").endpoint(), SessionSocket("a", "bc").endpoint());
}

TEST_F(SessionSocketTest, NamesOfAnyLengthAndContentStayInTheDirectory) {
  const SessionSocket long_name(std::string(3000, 'x'), "../../etc/passwd");
  EXPECT_EQ(file_of(long_name).parent_path(), place.path() / "eventspace");
  EXPECT_EQ(file_of(long_name).filename().string().size(), 16 + sizeof(".socket") - 1);
}

TEST_F(SessionSocketTest, ADirectoryWhosePathIsTooLongIsAnErrorThatHelps) {
  const fs::path deep = place.path() / std::string(120, 'd');
  fs::create_directory(deep);
  ::setenv("XDG_RUNTIME_DIR", deep.c_str(), 1);
  EXPECT_THAT(
      [] { SessionSocket("gas"); },
      ThrowsMessage<EnvironmentError>(HasSubstr("set XDG_RUNTIME_DIR to a directory with a shorter path")));
}

TEST_F(SessionSocketTest, IsServedWhileAServerHasTakenAndBoundIt) {
  EXPECT_FALSE(n1.is_taken());
  {
    const auto taken = n1.take();
    ASSERT_TRUE(taken);
    EXPECT_TRUE(n1.is_taken());
    EXPECT_FALSE(n1.is_served());
    bind(n1);
    EXPECT_TRUE(n1.is_served());
  }
  EXPECT_FALSE(n1.is_taken());
  EXPECT_TRUE(fs::is_empty(place.path() / "eventspace"));
}

TEST_F(SessionSocketTest, ASecondServerIsRefusedAndTheFirstIsNamed) {
  const auto taken = n1.take();
  EXPECT_FALSE(n1.take());
  EXPECT_EQ(n1.holder().value_or(ProcessIdentity()).pid, ::getpid());
  EXPECT_THAT([this] { (void)n1.require("node n1 of session gas"); },
              ThrowsMessage<EnvironmentError>(
                  "node n1 of session gas is served already on this machine, by process " +
                  std::to_string(::getpid())));
}

TEST_F(SessionSocketTest, WhatAKilledServerLeftIsReplaced) {
  test::Child server([this] {
    const auto taken = n1.take();
    bind(n1);
    for (;;) ::pause();
  });
  while (!n1.is_served()) ::usleep(1000);
  server.kill();
  EXPECT_TRUE(fs::exists(file_of(n1)));
  EXPECT_FALSE(n1.is_served());
  const auto taken = n1.take();
  ASSERT_TRUE(taken);
  EXPECT_FALSE(fs::exists(file_of(n1)));
}

TEST_F(SessionSocketTest, AForkedChildOfTheServerRemovesNothing) {
  auto taken = n1.take();
  bind(n1);
  EXPECT_TRUE(test::Child([&] { taken.reset(); }).ends_well());
  EXPECT_TRUE(n1.is_served());
}

TEST_F(SessionSocketTest, AServerAtAPortSaysThatItServesWithAFile) {
  const SessionSocket at_port("gas", "tcp://127.0.0.1:7101");
  const auto taken = at_port.require("node n1");
  EXPECT_FALSE(at_port.is_served());
  taken.announce();
  EXPECT_TRUE(at_port.is_served());
}

TEST_F(SessionSocketTest, ManyTakeItOneAfterTheOtherAndNeverTwoAtOnce) {
  const fs::path inside = place.path() / "inside";
  std::vector<test::Child> servers;
  for (int i = 0; i < 4; ++i) {
    servers.emplace_back([&] {
      for (int times = 0; times < 100;) {
        const auto taken = n1.take();
        if (!taken) continue;
        ++times;
        if (::mkdir(inside.c_str(), 0700) != 0) throw EnvironmentError("two have taken it");
        ::rmdir(inside.c_str());
      }
    });
  }
  for (test::Child& server : servers) EXPECT_TRUE(server.ends_well());
}

}  // namespace
}  // namespace eventspace
