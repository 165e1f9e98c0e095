#include <gmock/gmock.h>
#include <signal.h>

#include <nlohmann/json.hpp>
#include <thread>

#include "tests/monitors/archive/stuck_market.h"
#include "tests/monitors/web/page_client.h"
#include "tests/tuplespace/stopped_process.h"

// Owners and observers of `eventspace web` steer sessions, or may not.
namespace eventspace {
namespace {

using namespace std::chrono_literals;
using nlohmann::json;
using testing::HasSubstr;
using testing_commands::body_in;
using testing_commands::Call;
using testing_commands::eventually;
using testing_commands::get_request;
using testing_commands::PageClient;
using testing_commands::RawClient;
using testing_commands::status_in;

/// A page that shows the steering panel.
class ShownPage : public PageClient {
 public:
  explicit ShownPage(const Call& web, const std::string& role = "owner")
      : PageClient(web, role), stream_(port()) {
    (void)stream_.send(get_request("/api/s/0/stream?parts=steering,rates", port(), cookie()));
    EXPECT_TRUE(eventually([&] { return part("steering").contains("version"); })) << part("steering");
  }
  /// Gives an order, made from the newest state unless the body has a version.
  [[nodiscard]] json steer(const std::string& name, json body) const {
    if (!body.contains("version")) body["version"] = part("steering")["version"];
    const std::string answer = post(name, body.dump());
    json result = json::parse(body_in(answer), nullptr, false);
    if (!result.is_object()) result = {{"text", body_in(answer)}};
    result["status"] = status_in(answer);
    return result;
  }
  /// Gives an order, and waits until it is carried out. Returns its outcome.
  [[nodiscard]] json carry_out(const std::string& name, const json& body) const {
    const json answer = steer(name, body);
    EXPECT_EQ(answer["status"], 200) << answer;
    EXPECT_TRUE(eventually([&] { return part("steering")["under_way"] == false; }));
    return part("steering")["outcome"];
  }
  [[nodiscard]] std::string setting_of(const std::string& path) const {
    for (const json& one : part("steering/paths"))
      if (one["name"] == path) return one["setting"].is_null() ? "none" : one["setting"].get<std::string>();
    return "unknown";
  }

 private:
  RawClient stream_;
};

class WebSteering : public testing_commands::StuckMarket {
 protected:
  /// Starts two processes that write each millisecond, their servers, and the page.
  void start_writers() {
    pathmap_ =
        tiny(testing_commands::free_port(), testing_commands::free_port(), testing_commands::monitors_scopes);
    start_servers_of(pathmap_);
    application_.emplace(start_application_of(pathmap_, {TINY_APP}));
    start_web({pathmap_, "--interval", "100ms", "--progress", "log"});
  }
  void start_web(std::vector<std::string> words) {
    words.insert(words.begin(), "web");
    web_.emplace(start(words));
    ASSERT_TRUE(web_->says("observer  http://")) << web_->err();
  }
  void end_writers() {
    web_->signal(SIGINT);
    EXPECT_EQ(web_->status(), 0) << web_->err();
    application_->signal(SIGINT);
    application_->status();
    call({"down", pathmap_});
  }
  [[nodiscard]] Call& web() { return *web_; }

  std::filesystem::path pathmap_;
  std::optional<Call> application_, web_;
};

TEST_F(WebSteering, ASwitchedPathIsNotRecordedUntilItIsSwitchedBack) {
  start_writers();
  const ShownPage page(web());
  const auto rate = [&] { return page.part("rates")["events_per_second"]; };
  ASSERT_TRUE(
      eventually([&] { return rate().is_number() && rate() > 100 && page.setting_of("log") == "on"; }));
  const json outcome = page.carry_out("collecting", {{"on", false}, {"path", "log"}});
  EXPECT_EQ(outcome["text"], "collecting off: operation write of processes p0..p1 (2 processes switched)");
  EXPECT_TRUE(outcome["refusals"].empty()) << outcome;
  EXPECT_TRUE(eventually([&] { return page.setting_of("log") == "off"; }));
  EXPECT_TRUE(eventually([&] { return rate() == 0; })) << page.part("rates");
  EXPECT_THAT(page.part("steering")["collecting"][0]["state"].get<std::string>(), HasSubstr("write off"));
  EXPECT_THAT(call({"switch", pathmap_, "--format", "csv"}).out(),
              HasSubstr("\"on, but operation write off\""));
  EXPECT_THAT(page.part("log").dump(), HasSubstr("\"kind\":\"order\",\"text\":\"collecting off"));
  (void)page.carry_out("collecting", {{"on", true}, {"process", "p*"}});
  EXPECT_TRUE(eventually([&] { return rate() > 100; })) << page.part("rates");
  EXPECT_TRUE(eventually([&] { return page.setting_of("log") == "on"; }));
  end_writers();
}

TEST_F(WebSteering, TheIntervalIsTheSamplersFromTheNextLookOn) {
  start_writers();
  const ShownPage page(web());
  EXPECT_EQ(page.part("steering")["interval_s"], 0.1);
  const json outcome = page.carry_out("interval", {{"seconds", 3600}});
  EXPECT_THAT(outcome["text"].get<std::string>(), HasSubstr("interval 60min"));
  ASSERT_TRUE(eventually([&] { return page.part("losses").is_object(); }));
  const auto pulls = [&] { return page.part("losses")["pulls"].get<int>(); };
  const int before = pulls();
  (void)page.carry_out("interval", {{"seconds", 0.02}});  // although the next look is an hour away
  EXPECT_TRUE(eventually([&] { return pulls() > before + 20; }));
  EXPECT_EQ(page.part("steering")["interval_s"], 0.02);
  end_writers();
}

TEST_F(WebSteering, RefusedOrdersChangeNothing) {
  start_writers();
  const ShownPage page(web());
  const json before = page.part("steering");
  const struct {
    const char* name;
    json body;
    int status;
    const char* text;
  } refused[]{
      {"collecting", {{"on", false}, {"path", "lgo"}}, 400, "did you mean 'log'"},
      {"collecting", {{"on", false}, {"thread", "z"}}, 400, "known: a, b"},
      {"collecting", {{"setting", "sometimes"}}, 400, "allowed: on, off, or 1/N"},
      {"collecting", {{"on", false}, {"version", 99}}, 409, "version 99 is now 1"},
      {"interval", {{"seconds", -1}}, 400, "expected a number from 0"},
      {"interval", {{"minutes", 1}}, 400, "\"seconds\" is missing"},
      {"scope", {{"scope", "heartbeet"}}, 400, "heartbeat"},
      {"scope", {{"scope", "all"}, {"rate", 0}}, 400, "expected a number from 0.1"},
      {"erase", {{"scope", "all"}}, 404, "known: play, pause, speed, seek, collecting, interval, scope"}};
  for (const auto& [name, body, status, text] : refused) {
    const json answer = page.steer(name, body);
    EXPECT_EQ(answer["status"], status) << body;
    EXPECT_THAT(answer.value("reason", answer.dump()), HasSubstr(text)) << body;
  }
  const json after = page.part("steering");
  EXPECT_EQ(after["version"], before["version"]);
  EXPECT_EQ(after["interval_s"], before["interval_s"]);
  EXPECT_TRUE(after["trial"].is_null());
  end_writers();
}

TEST_F(WebSteering, OnlyTheOwnersPageWithItsTokenSteers) {
  start_writers();
  const ShownPage owner(web());
  const ShownPage observer(web(), "observer");
  const std::string body = R"({"version": 1, "seconds": 2})";
  EXPECT_EQ(observer.order("interval", body), 403);
  EXPECT_EQ(observer.part("steering")["version"], 1) << "an observer sees the state";
  EXPECT_EQ(status_in(owner.post_with("", "interval", body)), 403);
  EXPECT_EQ(status_in(owner.post_with("X-EventSpace-Token: forged\r\n", "interval", body)), 403);
  EXPECT_EQ(owner.part("steering")["version"], 1);
  EXPECT_EQ(owner.order("interval", body), 200);
  end_writers();
}

TEST_F(WebSteering, OfTwoOwnersWhoSteerAtOnceTheSecondIsToldWhatTheFirstDid) {
  start_writers();
  const ShownPage one(web());
  const ShownPage two(web());
  EXPECT_EQ(one.steer("interval", {{"version", 1}, {"page", "one"}, {"seconds", 2}})["status"], 200);
  const json refusal = two.steer("interval", {{"version", 1}, {"page", "two"}, {"seconds", 3}});
  EXPECT_EQ(refusal["status"], 409);
  EXPECT_THAT(refusal["reason"].get<std::string>(),
              HasSubstr("another page of the owner has steered since (version 1 is now 2): interval 2.0s"));
  EXPECT_EQ(refusal["steering"]["interval_s"], 2);
  EXPECT_EQ(refusal["steering"]["by"], "one");
  const json own = one.steer("interval", {{"version", 1}, {"page", "one"}, {"seconds", 3}});
  EXPECT_THAT(own["reason"].get<std::string>(), HasSubstr("this page has steered since"));
  EXPECT_EQ(two.steer("interval", {{"version", 2}, {"seconds", 3}})["status"], 200);
  // At the same moment.
  constexpr int owners = 8;
  std::vector<int> statuses(owners);
  std::vector<std::thread> threads;
  for (int i = 0; i < owners; ++i) {
    threads.emplace_back([&, i] {
      statuses[static_cast<std::size_t>(i)] =
          one.steer("interval", {{"version", 3}, {"seconds", 10 + i}})["status"].get<int>();
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(std::ranges::count(statuses, 200), 1);
  EXPECT_EQ(std::ranges::count(statuses, 409), owners - 1);
  end_writers();
}

TEST_F(WebSteering, AnOrderIsRefusedWhileAnotherOneIsCarriedOut) {
  start_writers();
  const ShownPage page(web());
  const std::vector<int> servers = processes_with("serve");
  for (const int server : servers) test::stop_whole(server);  // so that the order waits for them
  const json first = page.steer("collecting", {{"on", false}, {"path", "log"}});
  EXPECT_EQ(first["status"], 200);
  const json second = page.steer("interval", {{"version", first["version"]}, {"seconds", 3}});
  for (const int server : servers) ::kill(server, SIGCONT);
  EXPECT_EQ(second["status"], 409);
  EXPECT_THAT(second["reason"].get<std::string>(),
              HasSubstr("an order is being carried out: collecting off: operation write"));
  EXPECT_EQ(second["steering"]["under_way"], true);
  EXPECT_TRUE(eventually([&] { return page.part("steering")["under_way"] == false; }));
  EXPECT_EQ(page.part("steering")["interval_s"], 0.1);
  EXPECT_EQ(page.steer("interval", {{"seconds", 3}})["status"], 200);
  end_writers();
}

TEST_F(WebSteering, ATrialMeasuresRateAndCostUntilNoPageShowsIt) {
  start_writers();
  {
    const ShownPage page(web());
    EXPECT_THAT(page.part("steering/choices")["scopes"].dump(), HasSubstr("heartbeat"));
    json variants;
    ASSERT_TRUE(eventually([&] {
      variants = page.get("/api/s/0/q/variants?scope=heartbeat");
      return variants.contains("variants");
    })) << variants;
    const auto last = variants["variants"].size() - 1;
    ASSERT_GT(last, 0u);
    (void)page.carry_out("scope", {{"scope", "heartbeat"}, {"variant", last}, {"rate", 5}});
    const auto trial = [&] { return page.part("steering")["trial"]; };
    ASSERT_TRUE(eventually([&] { return trial().is_object() && trial()["slowdown"].contains("ratio"); }))
        << page.part("steering");
    const json measured = trial();
    EXPECT_EQ(measured["tree"], variants["variants"][last]);
    EXPECT_GT(measured["rate"], 0);
    EXPECT_LE(measured["rate"], 5.01) << "it pulls no more often than was asked for";
    EXPECT_GE(measured["slowdown"]["pairs"], 6);
    EXPECT_GT(measured["pull_s"], 0);
    EXPECT_FALSE(measured["levels"].empty());
    EXPECT_EQ(measured["missing"], "");
    EXPECT_EQ(measured["servers_here"], 2);
    EXPECT_EQ(measured["slowdown"]["reason"], "");
    // The slider: the same tree as fast as possible. The trial before is kept.
    (void)page.carry_out("scope", {{"scope", "heartbeat"}, {"variant", last}});
    ASSERT_TRUE(eventually([&] { return trial().is_object() && trial()["rate"] > 40; })) << trial();
    EXPECT_EQ(page.part("steering/trials").size(), 1u);
    EXPECT_EQ(page.part("steering/trials")[0]["ended"], "stopped");
    const json outcome = page.carry_out("scope", {{"scope", "heartbeat"}, {"variant", 9999}});
    EXPECT_THAT(outcome["refusals"].dump(),
                HasSubstr("found variant 9999 of scope heartbeat; it has variants 0 to"));
    EXPECT_TRUE(trial().is_object()) << "a refused order leaves the trial";
  }
  const PageClient late(web(), "owner");
  EXPECT_TRUE(eventually([&] { return late.part("steering")["trial"].is_null(); }));
  EXPECT_EQ(late.part("steering/trials")[1]["ended"], "no page shows it");
  end_writers();
}

TEST_F(WebSteering, ATrialWithoutStepsStillHasARateAndEndsWithTheServer) {
  const auto pathmap = market();
  Call application = start_stuck(pathmap);
  start_web({pathmap});
  const ShownPage page(web());
  (void)page.carry_out("scope", {{"scope", "heartbeat"}});
  ASSERT_TRUE(eventually([&] {
    const json trial = page.part("steering")["trial"];
    return trial.is_object() && trial["rate"] > 0 && !trial["slowdown"]["reason"].get<std::string>().empty();
  })) << page.part("steering");
  EXPECT_THAT(page.part("steering")["trial"]["slowdown"]["reason"].get<std::string>(),
              HasSubstr("--progress 'progress'"));
  web().signal(SIGINT);
  EXPECT_EQ(web().status(), 0) << web().err();
  stop(application, pathmap);
}

TEST_F(WebSteering, ARecordingIsNotSteered) {
  start_writers();
  ASSERT_EQ(call({"record", pathmap_, "-o", file("run.evs"), "--for", "200ms"}).status(), 0);
  end_writers();
  start_web({file("run.evs")});
  const PageClient page(web(), "owner");
  ASSERT_TRUE(eventually([&] { return page.part("about")["kind"] == "recording"; }));
  for (const char* name : {"collecting", "interval", "scope"}) {
    const std::string answer = page.post(name, R"({"version": 1})");
    EXPECT_EQ(status_in(answer), 409) << name;
    EXPECT_THAT(answer, HasSubstr("a recording cannot be steered"));
  }
  EXPECT_EQ(page.part("steering")["reason"], "a recording cannot be steered");
  EXPECT_EQ(page.get("/api/s/0/q/variants?scope=heartbeat")["reason"], "a recording cannot be steered");
}

TEST_F(WebSteering, ASessionWithoutAPathmapIsSwitchedByProcessAndClass) {
  Call application = start({"run", "--session", "free", "--", DYNAMIC_APP});
  ASSERT_TRUE(application.says("ready")) << application.err();
  start_web({"free", "--stall", "200ms"});
  const ShownPage page(web());
  EXPECT_THAT(page.steer("collecting", {{"on", false}, {"path", "p"}})["reason"].get<std::string>(),
              HasSubstr("without a pathmap is switched by"));
  EXPECT_THAT(page.steer("scope", {{"scope", "all"}})["reason"].get<std::string>(),
              HasSubstr("no scopes to try"));
  const json outcome = page.carry_out("collecting", {{"on", false}, {"kind", "probe"}});
  EXPECT_THAT(outcome["text"].get<std::string>(), HasSubstr("1 process switched")) << outcome;
  EXPECT_TRUE(eventually([&] {
    return page.part("steering")["collecting"][0]["state"] == "on, but probe off";
  })) << page.part("steering");
  const json none = page.carry_out("collecting", {{"on", false}, {"process", "nobody"}});
  EXPECT_THAT(none["refusals"].dump(), HasSubstr("no process that the order chooses runs"));
  application.signal(SIGTERM);
  (void)application.status();
}

}  // namespace
}  // namespace eventspace
