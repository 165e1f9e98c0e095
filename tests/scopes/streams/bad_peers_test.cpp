#include <arpa/inet.h>
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <cstring>
#include <memory>
#include <random>

#include <eventspace/stream_network.h>
#include <eventspace/streams.h>
#include "scopes/streams/attaching/network_keys.h"
#include "tests/paths/links/free_port.h"
#include "tests/scopes/streams/network_talk.h"
#include "tuplespace/system/mapping.h"

// Strangers at every listening socket of a network: the network works as if they were not there.

namespace eventspace::streams {
namespace {

using namespace std::chrono_literals;
using test::Number;
using test::number_of;

std::string local_tcp() { return eventspace::test::local_endpoint(eventspace::test::free_port()); }

/// Connects to "tcp://A.B.C.D:PORT" or "ipc://PATH" without any protocol.
FileHandle connected(const std::string& endpoint) {
  if (endpoint.starts_with("ipc://")) {
    FileHandle socket(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0));
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    std::strncpy(address.sun_path, endpoint.c_str() + 6, sizeof address.sun_path - 1);
    EXPECT_EQ(::connect(socket.get(), reinterpret_cast<sockaddr*>(&address), sizeof address), 0) << endpoint;
    return socket;
  }
  FileHandle socket(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(static_cast<std::uint16_t>(std::stoi(endpoint.substr(endpoint.rfind(':') + 1))));
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  EXPECT_EQ(::connect(socket.get(), reinterpret_cast<sockaddr*>(&address), sizeof address), 0) << endpoint;
  return socket;
}

void write_some(const FileHandle& socket, const std::string& bytes) {
  (void)::send(socket.get(), bytes.data(), bytes.size(),
               MSG_NOSIGNAL);  // MSG_NOSIGNAL: the other end may close at any time
}

/// Connects misbehaving strangers; each keeps its connection.
std::vector<FileHandle> strangers_at(const std::string& endpoint) {
  // The greeting of ZMTP 3.1, for the mechanism NULL, and after it a frame that claims to be very long.
  const std::string greeting = std::string("\xff\0\0\0\0\0\0\0\1\x7f\3\1NULL", 16) + std::string(48, '\0');
  std::mt19937 random(4711);
  std::vector<FileHandle> strangers;
  strangers.push_back(connected(endpoint));  // sends nothing
  strangers.push_back(connected(endpoint));
  write_some(strangers.back(), greeting.substr(0, 11));  // half a greeting
  strangers.push_back(connected(endpoint));
  write_some(strangers.back(), greeting + std::string("\2\x7f\xff\xff\xff\xff\xff\xff\xff", 9));
  for (int i = 0; i < 8; ++i) {
    strangers.push_back(connected(endpoint));
    std::string junk(1 + random() % 4000, '\0');
    for (char& c : junk) c = static_cast<char>(random());
    write_some(strangers.back(), i % 2 == 0 ? junk : greeting + junk);
  }
  return strangers;
}

/// A front-end, an internal process and two back-ends as threads, connected as the caller says.
class Tree {
 public:
  Tree(const std::string& root, const std::string& inner, const std::shared_ptr<const NetworkKeys>& keys)
      : front_end(Topology::of_text("1x2"), {.endpoint = root,
                                             .security = security_of(keys),
                                             .internals = FrontEnd::Internals::elsewhere,
                                             .keys = file_of(keys)}),
        internal(std::make_unique<InternalProcess>(
            InternalProcess::Config{.parent = {front_end.name(), front_end.endpoint()},
                                    .endpoint = inner,
                                    .places = RankSet::of_range(0, 1),
                                    .security = security_of(keys),
                                    .process = 1})) {
    internal->start();
    front_end.announce(1, inner);
    for (RankSet::Rank rank = 0; rank < 2; ++rank) {
      threads.emplace_back([point = front_end.attach_point(rank)] {
        BackEnd back_end(point, Deadline::after(60s));
        while (const auto received = back_end.receive(Deadline::never())) test::add_rank(back_end, *received);
      });
    }
    EXPECT_TRUE(front_end.wait_for(2, Deadline::after(60s)));
  }
  ~Tree() {
    internal.reset();  // the back-ends notice that, and end
    for (std::thread& thread : threads) thread.join();
  }
  Tree(const Tree&) = delete;
  Tree& operator=(const Tree&) = delete;

  static std::shared_ptr<const SessionSecurity> security_of(const std::shared_ptr<const NetworkKeys>& keys) {
    return keys ? keys->security() : nullptr;
  }
  static std::filesystem::path file_of(const std::shared_ptr<const NetworkKeys>& keys) {
    return keys ? keys->file() : std::filesystem::path();
  }

  void expect_works() {
    const std::uint32_t stream = front_end.open({.up = {{"sum", {}}}});
    for (std::int64_t i = 0; i < 20; ++i) {
      ASSERT_TRUE(front_end.send(stream, Number::make(0, i), Deadline::after(60s)));
      const auto sum = front_end.receive(stream, Deadline::after(60s));
      ASSERT_TRUE(sum);
      EXPECT_EQ(number_of(*sum), 2 * i + 1);
      EXPECT_TRUE(sum->ranks.empty());
    }
    front_end.close(stream);
  }

  FrontEnd front_end;
  std::unique_ptr<InternalProcess> internal;
  std::vector<std::thread> threads;
};

void expect_strangers_do_no_harm(Tree& tree, const std::string& inner) {
  tree.expect_works();
  std::vector<std::vector<FileHandle>> strangers;
  strangers.push_back(strangers_at(tree.front_end.endpoint()));
  strangers.push_back(strangers_at(inner));
  tree.expect_works();
  strangers.clear();  // the strangers disconnect
  tree.expect_works();
  EXPECT_EQ(tree.front_end.ranks().to_text(), "0-1");
}

TEST(BadPeersTest, DoNoHarmAtPortsWithoutKeys) {
  const std::string inner = local_tcp();
  Tree tree(local_tcp(), inner, nullptr);
  expect_strangers_do_no_harm(tree, inner);
}

TEST(BadPeersTest, DoNoHarmAtPortsWithKeys) {
  const std::string inner = local_tcp();
  Tree tree(local_tcp(), inner, NetworkKeys::make("bad-peers"));
  expect_strangers_do_no_harm(tree, inner);
}

TEST(BadPeersTest, DoNoHarmAtLocalSockets) {
  test::Tool tool("1x2");
  tool.attach();
  const std::uint32_t stream = tool.front_end.open({.up = {{"sum", {}}}});
  const auto strangers = strangers_at(tool.front_end.endpoint());
  const auto others = strangers_at(tool.front_end.attach_point(0).endpoint);
  for (std::int64_t i = 0; i < 20; ++i) {
    tool.send(stream, i);
    EXPECT_EQ(number_of(tool.receive(stream)), 2 * i + 1);
  }
}

}  // namespace
}  // namespace eventspace::streams
