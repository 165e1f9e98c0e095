#include "monitors/web/http/gate.h"

#include <gmock/gmock.h>

#include <algorithm>
#include <set>

#include "monitors/web/http/secret.h"
#include "monitors/web/http/target.h"

// The checks of requests, without sockets and clocks.
namespace eventspace::web {
namespace {

using namespace std::chrono_literals;
using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

class NoFeed final : public Feed {
 public:
  std::vector<SharedText> take() override { return {}; }
};

/// Keeps the last request.
class EchoSite final : public Site {
 public:
  Answer answer(const Request& request) override {
    asked = request;
    if (request.path.ends_with("/stream"))
      return {.type = "text/event-stream", .feed = std::make_shared<NoFeed>()};
    return {.body = share("answer")};
  }
  std::optional<Request> asked;
};

class GateTest : public testing::Test {
 protected:
  static constexpr std::uint16_t port = 8080;
  static constexpr const char* host = "127.0.0.1:8080";

  static ArrivedRequest get(const std::string& target) {
    return {.method = "GET", .target = target, .fields = {{"Host", host}}, .body = "", .by_socket = false};
  }
  ArrivedRequest get(const std::string& target, const std::string& cookie) const {
    ArrivedRequest request = get(target);
    request.fields.emplace_back("Cookie", cookie);
    return request;
  }
  ArrivedRequest post(const std::string& cookie, const std::string& token) const {
    ArrivedRequest request = get("/api/s/0/do/play", cookie);
    request.method = "POST";
    request.body = "{}";
    request.fields.emplace_back("origin", std::string("http://") + host);
    request.fields.emplace_back("X-EventSpace-Token", token);
    return request;
  }
  unsigned status(const ArrivedRequest& request) { return gate.answer(request, now).status; }
  /// The cookie that a browser gets for the key, as it sends it.
  std::string open(Role role) {
    const Reply reply = gate.answer(get(gate.opening(role)), now);
    for (const auto& [name, value] : reply.fields)
      if (name == "Set-Cookie") return value.substr(0, value.find(';'));
    return "";
  }
  std::string token_of(const std::string& cookie) {
    (void)status(get("/api/me", cookie));
    return site.asked.value().token;
  }

  EchoSite site;
  Limits limits{.streams = 4, .streams_per_cookie = 3, .cookies = 3};
  Gate gate{site, HostRules(port, {}), limits};
  Gate::Time now{100h};
};

TEST_F(GateTest, NothingIsServedWithoutACookie) {
  for (const char* const target : {"/", "/assets/d3.min.js", "/api/me", "/api/sessions", "/open",
                                   "/open?key=", "/open?key=0123", "/no-such-address"}) {
    EXPECT_EQ(status(get(target)), 403u) << target;
    EXPECT_EQ(status(get(target, "eventspace-0=1; other=2")), 403u) << target;
  }
  EXPECT_FALSE(site.asked);
  EXPECT_THAT(*gate.answer(get("/"), now).text, HasSubstr("eventspace web"));
}

TEST_F(GateTest, AKeyIsExchangedForACookieThatScriptsAndOtherSitesCannotUse) {
  const Reply reply = gate.answer(get(gate.opening(Role::owner)), now);
  EXPECT_EQ(reply.status, 200u);
  EXPECT_THAT(*reply.text, HasSubstr("http-equiv=\"refresh\" content=\"0;url=/\""));
  EXPECT_EQ(reply.fields.at(0).first, "Set-Cookie");
  EXPECT_THAT(reply.fields.at(0).second, AllOf(HasSubstr("; HttpOnly"), HasSubstr("; SameSite=Strict"),
                                               HasSubstr("; Path=/;"), HasSubstr("Max-Age=43200")));
  EXPECT_THAT(reply.fields.at(0).second, Not(HasSubstr(gate.key(Role::owner))));
  EXPECT_NE(open(Role::owner), open(Role::owner));
  EXPECT_EQ(status(get("/api/me", "a=b; " + open(Role::owner) + "; c=d")), 200u);
}

TEST_F(GateTest, TheCookieHasTheRoleOfItsKey) {
  EXPECT_EQ(gate.key(Role::owner).size(), 64u);
  EXPECT_NE(gate.key(Role::owner), gate.key(Role::observer));
  (void)status(get("/api/me", open(Role::owner)));
  EXPECT_EQ(site.asked.value().role, Role::owner);
  (void)status(get("/api/me", open(Role::observer)));
  EXPECT_EQ(site.asked.value().role, Role::observer);
}

TEST_F(GateTest, ACookieExpiresTwelveHoursAfterItsLastUse) {
  const std::string cookie = open(Role::owner);
  now += 11h;
  EXPECT_EQ(status(get("/api/me", cookie)), 200u);
  now += 11h;
  EXPECT_EQ(status(get("/api/me", cookie)), 200u);
  now += 12h + 1s;
  EXPECT_EQ(status(get("/api/me", cookie)), 403u);
}

TEST_F(GateTest, TheLeastRecentlyUsedCookieGoesWhenThereAreTooMany) {
  const std::string first = open(Role::owner);
  now += 1s;
  const std::string second = open(Role::owner);
  now += 1s;
  const std::string third = open(Role::owner);
  now += 1s;
  EXPECT_EQ(status(get("/api/me", first)), 200u);
  (void)open(Role::owner);
  EXPECT_EQ(status(get("/api/me", second)), 403u);
  EXPECT_EQ(status(get("/api/me", first)), 200u);
  EXPECT_EQ(status(get("/api/me", third)), 200u);
}

TEST_F(GateTest, ACookieOfAnotherServerIsNotReplayed) {
  Gate other(site, HostRules(port, {}), limits);
  EXPECT_EQ(other.answer(get("/api/me", open(Role::owner)), now).status, 403u);
  EXPECT_EQ(other.answer(get(gate.opening(Role::owner)), now).status, 403u);
}

TEST_F(GateTest, OtherHostsAreRefusedBeforeTheCookieCounts) {
  const std::string cookie = open(Role::owner);
  for (const char* const name : {"evil.example:8080", "evil.example", "127.0.0.1", "127.0.0.1:8081",
                                 "localhost.:8080", "127.0.0.1:8080.evil.example", ""}) {
    ArrivedRequest request = get("/api/me", cookie);
    request.fields.front().second = name;
    EXPECT_EQ(status(request), 421u) << name;
  }
  for (const char* const name : {"localhost:8080", "LocalHost:8080", "[::1]:8080"}) {
    ArrivedRequest request = get("/api/me", cookie);
    request.fields.front().second = name;
    EXPECT_EQ(status(request), 200u) << name;
  }
  ArrivedRequest none = get("/api/me", cookie);
  none.fields.erase(none.fields.begin());
  EXPECT_EQ(status(none), 400u);
  ArrivedRequest two = get("/api/me", cookie);
  two.fields.emplace_back("host", host);
  EXPECT_EQ(status(two), 400u);
}

TEST_F(GateTest, ATunnelMayLeadToTheSocketFromAnyPort) {
  ArrivedRequest request = get("/api/me", open(Role::owner));
  request.by_socket = true;
  request.fields.front().second = "localhost:9999";
  EXPECT_EQ(status(request), 200u);
  request.fields.front().second = "evil.example:9999";
  EXPECT_EQ(status(request), 421u);
}

TEST_F(GateTest, PagesOfOtherSitesAreRefused) {
  const std::string cookie = open(Role::owner);
  for (const char* const origin :
       {"http://evil.example", "https://127.0.0.1:8080", "http://127.0.0.1:8081", "null", ""}) {
    ArrivedRequest request = get("/api/me", cookie);
    request.fields.emplace_back("Origin", origin);
    EXPECT_EQ(status(request), 403u) << origin;
  }
  for (const char* const from : {"cross-site", "same-site"}) {
    ArrivedRequest request = get("/api/me", cookie);
    request.fields.emplace_back("Sec-Fetch-Site", from);
    EXPECT_EQ(status(request), 403u) << from;
    request.target = gate.opening(Role::owner);  // a link in a mail
    EXPECT_EQ(status(request), 200u) << from;
  }
  ArrivedRequest own = get("/api/me", cookie);
  own.fields.emplace_back("Sec-Fetch-Site", "same-origin");
  own.fields.emplace_back("Origin", "http://127.0.0.1:8080");
  EXPECT_EQ(status(own), 200u);
}

TEST_F(GateTest, OnlyTheOwnersOwnPageSteers) {
  const std::string cookie = open(Role::owner);
  const std::string token = token_of(cookie);
  EXPECT_EQ(status(post(cookie, token)), 200u);
  EXPECT_TRUE(site.asked.value().is_post);
  EXPECT_EQ(status(post(cookie, "")), 403u);
  EXPECT_EQ(status(post(cookie, make_secret())), 403u);
  const std::string other = open(Role::owner);
  EXPECT_EQ(status(post(other, token)), 403u);
  EXPECT_EQ(status(post(other, token_of(other))), 200u);
  const std::string observer = open(Role::observer);
  EXPECT_EQ(status(post(observer, token_of(observer))), 403u);
  ArrivedRequest without_origin = post(cookie, token);
  std::erase_if(without_origin.fields, [](const auto& field) { return field.first == "origin"; });
  EXPECT_EQ(status(without_origin), 403u);
}

TEST_F(GateTest, OtherMethodsAndAddressesAreRefused) {
  const std::string cookie = open(Role::owner);
  for (const char* const method : {"PUT", "DELETE", "HEAD", "OPTIONS", "CONNECT", "TRACE", "get"}) {
    ArrivedRequest request = get("/", cookie);
    request.method = method;
    EXPECT_EQ(status(request), 405u) << method;
  }
  for (const char* const target :
       {"/assets/../gate.cpp", "/assets/%2e%2e/%2e%2e/etc/passwd", "/assets//etc/passwd", "/assets/",
        "/etc/passwd", "/assets/index.html%00.js", "/..", "//evil.example/"}) {
    EXPECT_EQ(status(get(target, cookie)), 404u) << target;
  }
  for (const char* const target : {"", "*", "http://127.0.0.1:8080/", "/%zz", "/%4", "/a#b"})
    EXPECT_EQ(status(get(target, cookie)), 400u) << target;
}

TEST_F(GateTest, AssetsAreSentAgainOnlyWhenTheyChange) {
  const std::string cookie = open(Role::owner);
  const Reply first = gate.answer(get("/assets/d3.min.js", cookie), now);
  EXPECT_EQ(first.status, 200u);
  EXPECT_GT(first.asset.size(), 100'000u);
  EXPECT_EQ(first.fields.at(0).first, "ETag");
  ArrivedRequest again = get("/assets/d3.min.js", cookie);
  again.fields.emplace_back("If-None-Match", first.fields.at(0).second);
  EXPECT_EQ(status(again), 304u);
  EXPECT_THAT(std::string(gate.answer(get("/", cookie), now).asset), HasSubstr("<!doctype html>"));
}

TEST_F(GateTest, ThePageNamesAllItsModulesAtOnce) {
  const Reply page = gate.answer(get("/", open(Role::owner)), now);
  const auto link = std::ranges::find(page.fields, "Link", [](const auto& field) { return field.first; });
  ASSERT_NE(link, page.fields.end());
  for (const char* const module : {"app.js", "timeline/paint.js", "views/overview.js"})
    EXPECT_THAT(link->second, HasSubstr(std::string("</assets/") + module + ">; rel=modulepreload"));
  EXPECT_THAT(link->second, Not(HasSubstr("d3.min.js")));
}

TEST_F(GateTest, StreamsAreLimitedForEachCookieAndForAll) {
  const std::string one = open(Role::owner);
  std::vector<Reply> streams;
  for (int i = 0; i < 3; ++i) streams.push_back(gate.answer(get("/api/s/0/stream", one), now));
  EXPECT_NE(streams.back().feed, nullptr);
  EXPECT_EQ(status(get("/api/s/0/stream", one)), 503u);
  const std::string two = open(Role::observer);
  streams.push_back(gate.answer(get("/api/s/0/stream", two), now));
  EXPECT_EQ(streams.back().status, 200u);
  EXPECT_EQ(status(get("/api/s/0/stream", two)), 503u);
  streams.clear();
  EXPECT_EQ(status(get("/api/s/0/stream", one)), 200u);
}

TEST(ParseTarget, DecodesNamesAndValues) {
  Request request;
  ASSERT_TRUE(parse_target("/api/s/0/stream?parts=a%2Cb&x=1+2&empty=&flag", 4, request));
  EXPECT_EQ(request.path, "/api/s/0/stream");
  EXPECT_EQ(*request.parameter("parts"), "a,b");
  EXPECT_EQ(*request.parameter("x"), "1 2");
  EXPECT_EQ(*request.parameter("empty"), "");
  EXPECT_EQ(*request.parameter("flag"), "");
  EXPECT_EQ(request.parameter("other"), nullptr);
  Request too_many;
  EXPECT_FALSE(parse_target("/?a&b&c&d&e", 4, too_many));
}

TEST(HostRulesTest, FurtherNamesGetThePort) {
  const HostRules rules(80, {"login.example", "fe80::1", "other.example:8080"});
  EXPECT_TRUE(rules.allow("login.example:80"));
  EXPECT_TRUE(rules.allow("login.example"));  // browsers leave out the port 80
  EXPECT_TRUE(rules.allow("[fe80::1]:80"));
  EXPECT_TRUE(rules.allow("other.example:8080"));
  EXPECT_FALSE(rules.allow("other.example"));
}

TEST(Secrets, AreRandomAndComparedAsAWhole) {
  std::set<std::string> made;
  for (int i = 0; i < 100; ++i) made.insert(make_secret());
  EXPECT_EQ(made.size(), 100u);
  EXPECT_TRUE(equal_secrets("abc", "abc"));
  EXPECT_FALSE(equal_secrets("abc", "abd"));
  EXPECT_FALSE(equal_secrets("abc", "ab"));
  EXPECT_TRUE(equal_secrets("", ""));
}

}  // namespace
}  // namespace eventspace::web
