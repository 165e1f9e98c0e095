#include <gmock/gmock.h>
#include <signal.h>

#include <cstdlib>
#include <nlohmann/json.hpp>
#include <set>

#include "tests/monitors/archive/stuck_market.h"
#include "tests/monitors/json_lines.h"
#include "tests/monitors/web/page_client.h"
#include "tests/tuplespace/variable.h"

// `eventspace web` beside sessions and recordings: pages get what the other monitors print.
namespace eventspace {
namespace {

using namespace std::chrono_literals;
using nlohmann::json;
using testing::AllOf;
using testing::HasSubstr;
using testing_commands::Call;
using testing_commands::eventually;
using testing_commands::get_request;
using testing_commands::objects_in;
using Browser = testing_commands::PageClient;
using testing_commands::RawClient;

class WebCommand : public testing_commands::StuckMarket {
 protected:
  Call start_web(std::vector<std::string> words) {
    words.insert(words.begin(), "web");
    Call web = start(words);
    EXPECT_TRUE(web.says("observer  http://")) << web.err();
    return web;
  }
};

// The columns of a document's threads, by name.
std::map<std::string, json> threads_of(const Browser& browser) {
  std::map<std::string, json> threads;
  const json names = browser.part("names");
  const json block = browser.part("threads/0");
  const json about = browser.part("about");
  for (std::size_t i = 0; i < block["for_s"].size(); ++i) {
    json thread;
    for (const json& letter : about["letters"])
      if (letter["letter"] == block["state"].get<std::string>().substr(i, 1))
        thread["verdict"] = letter["words"];
    thread["for_s"] = block["for_s"][i];
    threads.emplace(names["threads"][i], thread);
  }
  return threads;
}

TEST_F(WebCommand, APageShowsAStallAsTheHeartbeatDoesLiveAndRecorded) {
  const auto pathmap = market();
  Call application = start_stuck(pathmap);
  {
    Call web = start_web({pathmap, "--stall", "200ms"});
    const Browser owner(web, "owner");
    EXPECT_EQ(owner.role(), "owner");
    EXPECT_EQ(Browser(web, "observer").role(), "observer");
    ASSERT_TRUE(eventually([&] { return owner.part("verdict")["severity"] == "stall"; }))
        << owner.part("verdict");
    EXPECT_EQ(owner.part("about")["kind"], "pathmap");
    EXPECT_EQ(owner.order("pause", "{}"), 409);
    EXPECT_EQ(owner.get("/api/sessions")[0]["name"], "market.yaml");
    web.signal(SIGINT);
    EXPECT_EQ(web.status(), 0) << web.err();
  }
  Call record = call({"record", pathmap, "-o", file("run.evs"), "--for", "500ms"});
  ASSERT_EQ(record.status(), 0) << record.err();
  stop(application, pathmap);

  Call web = start_web({file("run.evs"), "--stall", "200ms"});
  const Browser owner(web, "owner");
  const Browser observer(web, "observer");
  ASSERT_TRUE(eventually([&] { return owner.part("about")["kind"] == "recording"; }));
  const double length = owner.part("about")["recording"]["length"];
  EXPECT_EQ(observer.order("pause", "{}"), 403);
  EXPECT_EQ(owner.order("pause", "{}"), 200);
  EXPECT_EQ(owner.order("seek", "{\"position\": 1e99}"), 200);
  ASSERT_TRUE(eventually(
      [&] { return owner.part("clock")["position"] == length && owner.part("clock")["at"] == length; }));
  // The same moment, judged by the heartbeat.
  Call heartbeat = call({"heartbeat", file("run.evs"), "--stall", "200ms", "--once", "--format", "json"});
  const auto rows = objects_in(heartbeat.out());
  const auto threads = threads_of(owner);
  ASSERT_EQ(threads.size(), rows.size() - 1);
  EXPECT_EQ(owner.part("verdict")["stalled"], rows[0]["stalled"]);
  for (std::size_t i = 1; i < rows.size(); ++i) {
    const json& row = rows[i];
    const json& thread = threads.at(row["thread"]);
    EXPECT_EQ(thread["verdict"], row["verdict"]) << row;
    const json& expected = row["in_flight"].is_null() ? row["silent_s"] : row["in_flight_s"];
    if (expected.is_null()) continue;
    EXPECT_NEAR(thread["for_s"].get<double>(), expected.get<double>(), 1e-9) << row;
  }
  EXPECT_EQ(owner.order("speed", "{\"speed\": \"fast\"}"), 400);
  EXPECT_EQ(owner.order("erase", "{}"), 404);
  EXPECT_EQ(owner.order("seek", "{\"position\": 0}"), 200);
  EXPECT_TRUE(eventually([&] { return owner.part("clock")["position"] == 0; })) << owner.part("clock");
}

TEST_F(WebCommand, ServersThatVanishAndReturnAreNoticed) {
  const auto pathmap = market();
  start_servers_of(pathmap);
  Call application = start({"run", pathmap, "--", QUEUE_APP, "nothing"});
  ASSERT_TRUE(application.says("ready writers") && application.says("ready readers"));
  Call web = start_web({pathmap, "--stall", "1s"});
  const Browser page(web, "owner");
  const auto is_missing = [&] { return !page.part("losses")["missing"].empty(); };
  ASSERT_TRUE(eventually([&] { return page.part("losses").is_object() && !is_missing(); }));
  ASSERT_EQ(call({"down", pathmap}).status(), 0);
  EXPECT_TRUE(eventually(is_missing));
  EXPECT_TRUE(eventually([&] { return page.part("verdict")["severity"] == "unknown"; }))
      << page.part("verdict");
  start_servers_of(pathmap);
  EXPECT_TRUE(eventually([&] { return !is_missing(); }));
  std::set<std::string> kinds;
  for (const json& happening : page.part("log")) kinds.insert(happening["kind"]);
  EXPECT_TRUE(kinds.contains("missing") && kinds.contains("returned")) << page.part("log");
  stop(application, pathmap);
}

TEST_F(WebCommand, WithoutAnArgumentAllSessionsAreOfferedAndWatchedWhenAskedFor) {
  const auto pathmap = market();
  Call application = start_stuck(pathmap);
  Call web = start_web({"--stall", "200ms"});
  const Browser page(web, "owner");
  const json sessions = page.get("/api/sessions");
  ASSERT_EQ(sessions.size(), 1u) << sessions;
  EXPECT_EQ(sessions[0]["name"], "market");
  EXPECT_EQ(page.part("verdict"), json());  // no page watches it
  RawClient stream(page.port());
  (void)stream.send(get_request("/api/s/0/stream?parts=verdict,threads", page.port(), page.cookie()));
  EXPECT_THAT(stream.read_until("\"severity\":\"stall\""), HasSubstr("\"severity\":\"stall\""));
  EXPECT_THAT(stream.read_until("\"name\":\"threads/0\""), HasSubstr("\"name\":\"threads/0\""));
  EXPECT_EQ(page.get("/api/s/1/parts")["reason"], "there is no such session");
  stop(application, pathmap);
}

TEST_F(WebCommand, GraphvizEndsWithAServerThatIsKilled) {
  std::filesystem::create_directory(file("bin"));
  std::filesystem::permissions(write("bin/dot", "#!/bin/sh\nexec sleep 1004\n"),
                               std::filesystem::perms(0700));
  const test::Variable path("PATH", file("bin").string() + ":" + std::getenv("PATH"));
  const auto pathmap = market();
  start_servers_of(pathmap);
  Call web = start_web({pathmap});
  const Browser page(web, "owner");
  RawClient stream(page.port());
  (void)stream.send(get_request("/api/s/0/stream?parts=map", page.port(), page.cookie()));
  ASSERT_TRUE(eventually([&] { return !processes_with("1004").empty(); }));
  web.signal(SIGKILL);
  EXPECT_TRUE(eventually([&] { return processes_with("1004").empty(); }));
  call({"down", pathmap});
}

TEST_F(WebCommand, ASessionThatEndsIsToldToThePage) {
  Call application = start({"run", "--session", "short", "--", DYNAMIC_APP});
  ASSERT_TRUE(application.says("ready")) << application.err();
  Call web = start_web({"short", "--stall", "200ms"});
  const Browser page(web, "owner");
  RawClient stream(page.port());
  (void)stream.send(get_request("/api/s/0/stream", page.port(), page.cookie()));
  EXPECT_THAT(stream.read_until("\"kind\":\"session\""), HasSubstr("\"kind\":\"session\""));
  application.signal(SIGTERM);
  (void)application.status();
  EXPECT_THAT(stream.read_until("event: gone\n"), HasSubstr("event: gone\n"));
}

/// `run --web`: the page and the run end together, after the application.
class RunWithPage : public WebCommand {
 protected:
  /// Starts dynamic_app, which `how` says how to run.
  Call run_with_page(const std::string& how = "", const std::vector<std::string>& options = {}) {
    std::vector<std::string> words{"run", "--web", "--session", "s1"};
    words.insert(words.end(), options.begin(), options.end());
    words.insert(words.end(),
                 {"--", "sh", "-c", std::string("echo pid $$; exec ") + DYNAMIC_APP + " " + how});
    Call run = start(words);
    EXPECT_TRUE(run.says("observer  http://")) << run.err();
    return run;
  }
  static void kill(const Call& run, int signal) {
    const std::string out = run.out();
    ::kill(std::stoi(out.substr(out.find("pid ") + 4)), signal);
  }
  /// Ends the page, and looks whether anything is left.
  void end(Call& run, int expected_status) {
    run.signal(SIGINT);
    EXPECT_EQ(run.status(), expected_status) << run.err();
    EXPECT_TRUE(processes_with("--beside-run").empty());
    EXPECT_THAT(call({"ls"}).out(), testing::Not(HasSubstr("s1"))) << "segments are left";
  }
};

TEST_F(RunWithPage, ThePageShowsTheRunAndItsLastStateUntilCtrlC) {
  Call run = run_with_page();
  ASSERT_TRUE(run.says("ready")) << run.err();
  EXPECT_THAT(run.out(), testing::Not(HasSubstr("http"))) << "the output is the application's";
  const Browser page(run, "owner");
  ASSERT_TRUE(eventually([&] { return page.part("about")["threads"] == 2; })) << page.part("about");
  EXPECT_EQ(page.get("/api/sessions")[0]["name"], "s1");
  kill(run, SIGTERM);
  ASSERT_TRUE(run.says("its page stays until Ctrl-C")) << run.err();
  EXPECT_EQ(page.part("verdict")["severity"], "ended") << page.part("verdict");
  EXPECT_EQ(page.part("threads/0")["state"], "EE");
  RawClient late(page.port());
  (void)late.send(get_request("/api/s/0/stream", page.port(), page.cookie()));
  EXPECT_THAT(late.read_until("event: gone\n"), HasSubstr("event: gone\n"));
  end(run, 0);
}

TEST_F(RunWithPage, AKilledApplicationIsShownAsDead) {
  Call run = run_with_page();
  ASSERT_TRUE(run.says("ready")) << run.err();
  const Browser page(run, "owner");
  kill(run, SIGKILL);
  ASSERT_TRUE(run.says("its page stays until Ctrl-C")) << run.err();
  EXPECT_EQ(page.part("threads/0")["state"], "DD") << page.part("verdict");
  run.signal(SIGINT);
  EXPECT_EQ(run.status(), -SIGKILL) << "as the command";
}

TEST_F(RunWithPage, AnApplicationThatEndsAtOnceIsShown) {
  for (const auto& options : {std::vector<std::string>{}, {"--record", file("short.evs").string()}}) {
    Call run = run_with_page("pass 100", options);
    ASSERT_TRUE(run.says("its page stays until Ctrl-C")) << run.err();
    const Browser page(run, "owner");
    if (options.empty()) {
      EXPECT_EQ(page.part("verdict")["severity"], "ended") << page.part("verdict");
      EXPECT_EQ(page.part("threads/0")["state"], "E");
    }
    end(run, 0);
  }
}

TEST_F(RunWithPage, WithoutAProcessThatRecordsThePageSaysSo) {
  Call run = start({"run", "--web", "--session", "s1", "--", "sh", "-c", "exit 7"});
  ASSERT_TRUE(run.says("its page stays until Ctrl-C")) << run.err();
  EXPECT_THAT(Browser(run, "owner").part("verdict")["sentence"].get<std::string>(),
              HasSubstr("no process of the application has recorded"));
  end(run, 7);
}

TEST_F(RunWithPage, APathmapIsShownToo) {
  const auto pathmap = market();
  Call run = start({"run", pathmap, "--server-up", "--web", "--", QUEUE_APP, "nothing"});
  ASSERT_TRUE(run.says("ready writers") && run.says("ready readers")) << run.err();
  const Browser page(run, "owner");
  EXPECT_TRUE(eventually([&] { return page.part("about")["kind"] == "pathmap"; })) << run.err();
  EXPECT_TRUE(eventually([&] { return page.part("verdict")["stalled"] == 2; })) << page.part("verdict");
  run.signal(SIGTERM);
  ASSERT_TRUE(run.says("its page stays until Ctrl-C")) << run.err();
  EXPECT_EQ(page.part("verdict")["tally"]["ended"], 4) << page.part("verdict");
  EXPECT_THAT(page.part("call_sites")["call"].dump(), HasSubstr("write queue"))
      << "no page asked before the end";
  run.signal(SIGINT);
  EXPECT_EQ(run.status(), 0) << run.err();
}

TEST_F(RunWithPage, ThePageKnowsThePathsOfTheStepsOfTheApplication) {
  const auto pathmap = market();
  Call run =
      start({"run", pathmap, "--server-up", "--web", "--progress", "que*", "--", QUEUE_APP, "nothing"});
  ASSERT_TRUE(run.says("ready writers") && run.says("ready readers")) << run.err();
  const Browser page(run, "owner");
  EXPECT_TRUE(eventually([&] { return page.part("steering/choices")["progress"] == "que*"; }))
      << page.part("steering/choices");
  run.signal(SIGTERM);
  ASSERT_TRUE(run.says("its page stays until Ctrl-C")) << run.err();
  run.signal(SIGINT);
  EXPECT_EQ(run.status(), 0) << run.err();
  EXPECT_THAT(call({"run", pathmap, "--progress", "que*"}).err(), HasSubstr("--web"));
  Call free = call({"run", "--web", "--progress", "que*", "--", "true"});
  EXPECT_EQ(free.status(), 2);
  EXPECT_THAT(free.err(), HasSubstr("--progress GLOB needs a pathmap"));
}

TEST_F(RunWithPage, AKilledRunEndsItsPage) {
  Call run = run_with_page();
  ASSERT_TRUE(run.says("ready")) << run.err();
  EXPECT_FALSE(processes_with("--beside-run").empty());
  run.signal(SIGKILL);
  EXPECT_TRUE(eventually([&] { return processes_with("--beside-run").empty(); }));
}

TEST_F(WebCommand, WhatCannotBeServedIsAnErrorWithAdvice) {
  const testing_commands::TakenPort taken;
  const auto pathmap = market();
  Call port = call({"web", pathmap, "--port", std::to_string(taken.number())});
  EXPECT_EQ(port.status(), 3);
  EXPECT_THAT(port.err(), AllOf(HasSubstr("in use"), HasSubstr("--port")));
  Call session = call({"web", "no-such-session"});
  EXPECT_EQ(session.status(), 3);
  EXPECT_THAT(session.err(), HasSubstr("no process of a session 'no-such-session'"));
  write("torn.evs", "EVSPACE1 torn");
  EXPECT_NE(call({"web", file("torn.evs")}).status(), 0);
  EXPECT_EQ(call({"web", pathmap, "--bind", "somewhere"}).status(), 2);
  EXPECT_EQ(call({"web", pathmap, "--bind", "127.0.0.1", "--socket", file("s")}).status(), 2);
}

}  // namespace
}  // namespace eventspace
