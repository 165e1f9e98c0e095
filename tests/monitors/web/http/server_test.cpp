#include "monitors/web/http/server.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <sys/resource.h>
#include <sys/stat.h>

#include <atomic>
#include <chrono>
#include <filesystem>
#include <iterator>
#include <memory>
#include <random>
#include <vector>

#include <eventspace/error.h>
#include "tests/monitors/web/http/raw_client.h"
#include "tests/tuplespace/temporary_directory.h"

// A server at a port of this machine, and clients that send any bytes.
namespace eventspace::web {
namespace {

using namespace std::chrono_literals;
using testing::AllOf;
using testing::HasSubstr;
using testing_commands::body_in;
using testing_commands::cookie_in;
using testing_commands::get_request;
using testing_commands::RawClient;
using testing_commands::status_in;

/// A feed of numbers: each page gets the newest.
class NumberFeed final : public Feed {
 public:
  NumberFeed(const std::atomic<int>& number, std::atomic<int>& asked, std::string padding)
      : number_(&number), asked_(&asked), padding_(std::move(padding)) {}
  std::vector<SharedText> take() override {
    ++*asked_;
    const int now = *number_;
    if (now == seen_) return {};
    seen_ = now;
    return {share(fmt::format("data: {}{}\n\n", now, padding_))};
  }

 private:
  const std::atomic<int>* number_;
  std::atomic<int>* asked_;
  std::string padding_;
  int seen_{0};
};

class NumberSite final : public Site {
 public:
  Answer answer(const Request& request) override {
    if (request.path == "/api/stream") {
      return {.type = "text/event-stream", .feed = std::make_shared<NumberFeed>(number, asked, padding)};
    }
    return {.body = share("{\"body\":" + std::to_string(request.body.size()) + "}")};
  }
  std::atomic<int> number{1};
  std::atomic<int> asked{0};
  std::string padding{};
};

class WebServerTest : public testing::Test {
 protected:
  void serve(const ServerSettings& settings) {
    server = std::make_unique<Server>(settings, site);
    server->start();
  }
  void TearDown() override {
    if (server != nullptr) server->stop();
  }
  [[nodiscard]] int port() const { return server->port(); }
  std::string cookie() {
    return cookie_in(RawClient(port()).ask(get_request(server->opening(Role::owner), port())));
  }
  int status(const std::string& target, const std::string& fields) {
    return status_in(RawClient(port()).ask(get_request(target, port(), fields)));
  }
  /// Whether the server still answers a page as it should. On a busy machine this process may be slower than
  /// the limits of a test allow.
  [[nodiscard]] bool is_well() {
    for (int i = 0; i < 10; ++i)
      if (status("/api/me", cookie()) == 200) return true;
    return false;
  }

  NumberSite site;
  std::unique_ptr<Server> server;
};

// The site may be destroyed then.
TEST_F(WebServerTest, AnExceptionEndsTheThreadOfAServer) {
  const auto threads = [] {
    const std::filesystem::directory_iterator tasks("/proc/self/task");
    return std::distance(begin(tasks), end(tasks));
  };
  std::thread([] {}).join();  // A sanitizer starts a thread of its own beside the first thread.
  const auto before = threads();
  server = std::make_unique<Server>(ServerSettings{}, site);
  const auto fail = [&] {
    const Serving serving(*server);
    EXPECT_TRUE(is_well());
    EXPECT_EQ(threads(), before + 1);
    throw EnvironmentError("no room");
  };
  EXPECT_THROW(fail(), EnvironmentError);
  EXPECT_EQ(threads(), before);
}

TEST_F(WebServerTest, APageIsServedOnOneConnectionWithTheFieldsThatProtectIt) {
  serve({});
  RawClient client(port());
  const std::string field = cookie_in(client.ask(get_request(server->opening(Role::owner), port())));
  ASSERT_NE(field, "");
  const std::string page = client.ask(get_request("/", port(), field));
  EXPECT_EQ(status_in(page), 200);
  EXPECT_THAT(page, AllOf(HasSubstr("\r\nContent-Security-Policy: default-src 'none'; script-src 'self';"),
                          HasSubstr("\r\nX-Content-Type-Options: nosniff\r\n"),
                          HasSubstr("\r\nReferrer-Policy: no-referrer\r\n"),
                          HasSubstr("\r\nCross-Origin-Opener-Policy: same-origin\r\n"),
                          HasSubstr("\r\nCross-Origin-Resource-Policy: same-origin\r\n")));
  EXPECT_EQ(status_in(client.ask(get_request("/api/me", port(), field))), 200);
  EXPECT_EQ(status_in(client.ask(get_request("/api/me", port()))), 403);
  EXPECT_FALSE(client.is_closed());
}

TEST_F(WebServerTest, APortInUseIsAnErrorWithAdvice) {
  serve({});
  try {
    const Server second({.port = server->port()}, site);
    FAIL();
  } catch (const EnvironmentError& error) {
    EXPECT_THAT(error.what(),
                AllOf(HasSubstr(std::to_string(port())), HasSubstr("in use"), HasSubstr("--port")));
  }
  EXPECT_THROW(Server({.address = "localhost"}, site), ConfigurationError);
  EXPECT_THROW(Server({.address = "192.0.2.1"}, site), EnvironmentError);
}

TEST_F(WebServerTest, RequestsThatAreTooLargeAreRefused) {
  serve({});
  const std::string field = cookie();
  EXPECT_EQ(status("/api/me", field + "X-Large: " + std::string(9000, 'x') + "\r\n"), 431);
  EXPECT_EQ(status("/" + std::string(9000, 'x'), field), 431);
  const auto post = [&](std::size_t size) {
    RawClient client(port());
    return status_in(
        client.ask(fmt::format("POST /api/x HTTP/1.1\r\nHost: 127.0.0.1:{}\r\nContent-Length: {}\r\n\r\n{}",
                               port(), size, std::string(size, 'x'))));
  };
  EXPECT_EQ(post(std::size_t{65} * 1024), 413);
  EXPECT_EQ(post(1024), 403);
  EXPECT_TRUE(is_well());
}

TEST_F(WebServerTest, BytesThatAreNotARequestGet400) {
  serve({});
  for (const std::string bytes :
       {"hello\r\n\r\n", "\x16\x03\x01\x02\x01\x01\xfc\x03\x03\r\n\r\n", "GET / HTTP/9.9\r\n\r\n",
        "GET /\r\n\r\n", "GET / HTTP/1.1\r\nHost : a\r\n\r\n", "GET / HTTP/1.1\r\nContent-Length: x\r\n\r\n",
        "GET / HTTP/1.1\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\n"}) {
    RawClient client(port());
    (void)client.send(bytes);
    EXPECT_EQ(status_in(client.read_all()), 400) << bytes;
    EXPECT_TRUE(client.is_closed()) << bytes;
  }
  EXPECT_TRUE(is_well());
}

TEST_F(WebServerTest, RandomBytesNeverHurt) {
  serve({.limits = {.request_time = 1s}});
  constexpr unsigned seed = 20261128;
  std::mt19937 random(seed);
  const std::string valid = get_request("/api/me", port(), cookie());
  for (int i = 0; i < 300; ++i) {
    std::string bytes = valid;
    for (int change = 0; change < 1 + i % 8; ++change)
      bytes[random() % bytes.size()] = static_cast<char>(random() % 256);
    RawClient client(port());
    (void)client.send(bytes.substr(0, 1 + random() % bytes.size()));
    if (i % 2 == 0) (void)client.read_until("\r\n\r\n", 1ms);
  }
  EXPECT_TRUE(is_well());
}

TEST_F(WebServerTest, HalfARequestIsGivenUp) {
  serve({.limits = {.request_time = 1s, .idle_time = 1s}});
  RawClient half(port());
  (void)half.send("GET / HTTP/1.1\r\nHost: ");
  RawClient silent(port());
  RawClient idle(port());
  (void)idle.ask(get_request("/", port()));
  for (RawClient* const client : {&half, &silent, &idle}) {
    (void)client->read_all();
    EXPECT_TRUE(client->is_closed());
  }
  EXPECT_TRUE(is_well());
}

TEST_F(WebServerTest, FurtherConnectionsGet503AndTheOthersGoOn) {
  serve({.limits = {.connections = 8}});
  const std::string field = cookie();
  std::vector<std::unique_ptr<RawClient>> clients;
  for (int i = 0; i < 8; ++i) {
    clients.push_back(std::make_unique<RawClient>(port()));
    EXPECT_EQ(status_in(clients.back()->ask(get_request("/api/me", port(), field))), 200);
  }
  for (int i = 0; i < 200; ++i) {
    RawClient refused(port());
    const std::string answer = refused.read_all();
    EXPECT_TRUE(refused.is_closed());
    EXPECT_EQ(status_in(answer), 503);
  }
  for (const auto& client : clients)
    EXPECT_EQ(status_in(client->ask(get_request("/api/me", port(), field))), 200);
  clients.clear();
  int later = 503;  // until the server has noticed that they are gone
  for (int i = 0; i < 1000 && later != 200; ++i) later = status("/api/me", field);
  EXPECT_EQ(later, 200);
}

std::size_t open_descriptors() {
  using Files = std::filesystem::directory_iterator;
  return static_cast<std::size_t>(std::distance(Files("/proc/self/fd"), Files()));
}

// As many of them at once as this process may have descriptors.
TEST_F(WebServerTest, TenThousandConnectionsAtOnceTakeNothingFromAPage) {
  serve({.limits = {.connections = 8}});
  const std::string field = cookie();
  RawClient page(port());
  ASSERT_EQ(status_in(page.ask(get_request("/api/me", port(), field))), 200);
  rlimit descriptors{};
  ASSERT_EQ(::getrlimit(RLIMIT_NOFILE, &descriptors), 0);
  const std::size_t before = open_descriptors();
  const std::size_t room = static_cast<std::size_t>(descriptors.rlim_cur) - before - 200;
  std::vector<std::unique_ptr<RawClient>> clients;
  while (clients.size() < std::min<std::size_t>(10'000, room)) {
    clients.push_back(std::make_unique<RawClient>(port()));
    if (clients.size() % 1000 == 0) {
      EXPECT_EQ(status_in(page.ask(get_request("/api/me", port(), field))), 200);
    }
  }
  // Its own: those of the limit, and up to 64 that are being refused.
  EXPECT_LT(open_descriptors() - before - clients.size(), 100U);
  EXPECT_EQ(status_in(page.ask(get_request("/api/me", port(), field))), 200);
}

TEST_F(WebServerTest, AStreamSendsWhatIsNewAndHeartbeats) {
  serve({.limits = {.heartbeat_time = 50ms}});
  RawClient page(port());
  (void)page.send(get_request("/api/stream", port(), cookie()));
  EXPECT_THAT(page.read_until("data: 1\n\n"),
              AllOf(HasSubstr("Content-Type: text/event-stream"), HasSubstr("data: 1\n\n")));
  EXPECT_THAT(page.read_until(": alive\n\n"), HasSubstr(": alive\n\n"));
  site.number = 2;
  server->wake();
  EXPECT_THAT(page.read_until("data: 2\n\n"), HasSubstr("data: 2\n\n"));
}

// The feed is not asked as long as the page has not read: there is no queue.
TEST_F(WebServerTest, ASlowReaderHoldsUpNobodyAndIsGivenUp) {
  site.padding = std::string(std::size_t{8} * 1024 * 1024, 'x');
  serve({.limits = {.streams_per_cookie = 1, .write_time = 1s}});
  const std::string field = cookie();
  RawClient slow(port());
  slow.read_slowly();
  (void)slow.send(get_request("/api/stream", port(), field));
  (void)slow.read_until("\r\n\r\n");
  const int asked = site.asked;
  for (int i = 0; i < 100; ++i) {
    ++site.number;
    server->wake();
  }
  EXPECT_EQ(status("/api/me", field), 200);
  EXPECT_LE(site.asked, asked + 1);
  // Its place is free once the server has given it up.
  const auto opens_another = [&] {
    RawClient other(port());
    (void)other.send(get_request("/api/stream", port(), field));
    return status_in(other.read_until("\r\n\r\n")) == 200;
  };
  EXPECT_FALSE(opens_another());
  const auto end = std::chrono::steady_clock::now() + 60s;
  bool is_open = false;
  while (!is_open && std::chrono::steady_clock::now() < end) is_open = opens_another();
  EXPECT_TRUE(is_open);
}

TEST_F(WebServerTest, AStreamEndsWithItsCookie) {
  serve({.limits = {.cookies = 1, .heartbeat_time = 20ms}});
  RawClient page(port());
  (void)page.send(get_request("/api/stream", port(), cookie()));
  EXPECT_THAT(page.read_until("data: 1\n\n"), HasSubstr("data: 1\n\n"));
  (void)cookie();  // takes the place of the first
  (void)page.read_all();
  EXPECT_TRUE(page.is_closed());
}

TEST_F(WebServerTest, ALocalSocketIsForItsUserAndAnyPortOfATunnel) {
  const test::TemporaryDirectory directory;
  const auto file = directory.path() / "page";
  serve({.socket = file});
  struct stat status {};
  ASSERT_EQ(::stat(file.c_str(), &status), 0);
  EXPECT_EQ(status.st_mode & 0777u, 0600u);
  RawClient client(file);
  const std::string answer =
      client.ask("GET " + server->opening(Role::owner) + " HTTP/1.1\r\nHost: localhost:4711\r\n\r\n");
  EXPECT_EQ(status_in(answer), 200);
  EXPECT_EQ(status_in(client.ask("GET / HTTP/1.1\r\nHost: evil.example\r\n" + cookie_in(answer) + "\r\n")),
            421);
  EXPECT_THROW(Server({.socket = file}, site), EnvironmentError);
  server->stop();
  server.reset();
  EXPECT_FALSE(std::filesystem::exists(file));
}

TEST_F(WebServerTest, TheFileOfAKilledServerIsReplaced) {
  const test::TemporaryDirectory directory;
  const auto file = directory.path() / "page";
  {
    const int socket = ::socket(AF_UNIX, SOCK_STREAM, 0);
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    file.native().copy(address.sun_path, sizeof address.sun_path - 1);
    ASSERT_EQ(::bind(socket, reinterpret_cast<const sockaddr*>(&address), sizeof address), 0);
    ::close(socket);
  }
  serve({.socket = file});
  EXPECT_EQ(status_in(RawClient(file).ask("GET / HTTP/1.1\r\nHost: localhost\r\n\r\n")), 403);
}

TEST_F(WebServerTest, ItEndsWithOpenConnectionsAndStreams) {
  serve({});
  const std::string field = cookie();
  RawClient idle(port());
  RawClient page(port());
  (void)page.send(get_request("/api/stream", port(), field));
  (void)page.read_until("data: 1\n\n");
  server->stop();
  server->wake();
  server.reset();
  (void)page.read_all();
  EXPECT_TRUE(page.is_closed());
}

}  // namespace
}  // namespace eventspace::web
