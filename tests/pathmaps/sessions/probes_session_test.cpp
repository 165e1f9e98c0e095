#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/resource.h>

#include <algorithm>
#include <barrier>
#include <set>
#include <thread>

#include <eventspace/probe.h>
#include <eventspace/session.h>
#include "collectors/probe_record.h"
#include "pathmaps/pathmap.h"
#include "pathmaps/sessions/consumer.h"
#include "scopes/expressions/expression.h"
#include "scopes/tree/field_reader.h"
#include "scopes/tree/view_events.h"
#include "tests/pathmaps/sessions/gateway_pathmap.h"
#include "tests/pathmaps/sessions/node_servers.h"
#include "tests/pathmaps/valid_plan.h"
#include "tests/paths/server_talk.h"
#include "tests/tuplespace/segment_directory.h"

// Probes of an application with two processes, read through the servers of two nodes behind a gateway.

namespace eventspace {
namespace {

using namespace std::chrono_literals;
using testing::ElementsAre;
using testing::IsEmpty;
using testing::UnorderedElementsAre;

std::string probing_pathmap() {
  return test::pathmap_behind_gateway(
      "probing",
      "  with:\n    threads: [a, b]\n    at: [thread]\n    read: next\n    probes: true\n"
      "    timeout: 5s\n"
      "    levels: [{group: all, wrapper: gather}, {group: node, wrapper: gather}]\n"
      "  without:\n    threads: [a, b]\n    at: [thread]\n    read: next\n    timeout: 5s\n"
      "    levels: [{group: all, wrapper: gather}, {group: node, wrapper: gather}]\n"
      "  tiny:\n    threads: [a, b]\n    at: [thread]\n    read: next\n    probes: true\n    batch: 1\n"
      "    timeout: 5s\n    levels: [{group: all, wrapper: gather}]\n"
      "  newest:\n    threads: [a, b]\n    at: [thread]\n    read: newest\n    probes: true\n    timeout: "
      "5s\n"
      "    levels: [{group: all, wrapper: gather}]\n"
      "  slow:\n    threads: [a, b]\n    at: [thread]\n    read: next\n    probes: true\n    timeout: 5s\n"
      "    levels:\n"
      "      - {group: all, wrappers: [gather, {sort: {by: sequence}}]}\n"
      "      - {group: node, wrappers: [gather, {filter: {where: \"probe == 'tick' and value3 >= "
      "30\"}}]}\n");
}

class ProbesSessionTest : public testing::Test {
 protected:
  ProbesSessionTest() {
    plan = test::shared_plan(parse_plan(probing_pathmap(), "probes_session_test.yaml"));
    servers = test::started_servers(plan);
    consumer.emplace(plan);
  }

  [[nodiscard]] Session join(const std::string& process) const {
    return Session::join(plan, process, Session::Options{});
  }

  /// The result of a pull, such as "a: tick 1 10 @5": thread, probe, values and virtual time, or the path.
  std::vector<std::string> pull(EventScope& scope) {
    view = scope.pull({.deadline = Deadline::after(5s)});
    std::vector<std::string> told;
    for (const Missing& missing : view.missing)
      told.push_back("missing " + missing.what + " " + missing.detail);
    for_each_event(view.records, [&](std::span<const TraceTuple> records) {
      told.push_back(tell({records.back(), nullptr, records.first(records.size() - 1)}));
    });
    return told;
  }
  [[nodiscard]] std::string tell(const ObservedEvent& event) const {
    const PlanNames& names = consumer->names();
    const auto text = [&](const char* field) {
      return std::string(FieldReader(field).text(event, names).value_or(""));
    };
    std::string told = text("thread") + ": ";
    if (event.header().kind != probe_kind) return told + text("path");
    told += text("probe");
    for (int i = 1; i <= 8; ++i) {
      if (const auto value = FieldReader("value" + std::to_string(i)).number(event))
        told += " " + std::to_string(static_cast<int>(*value));
    }
    told += " @" + std::to_string(static_cast<int>(FieldReader("virtual_time").number(event).value_or(-1)));
    return event.in_flight() ? told + " in flight" : told;
  }

  test::SegmentDirectory directory;
  std::shared_ptr<const Plan> plan;
  std::vector<std::unique_ptr<NodeServer>> servers;
  std::optional<Consumer> consumer;
  View view;
};

TEST_F(ProbesSessionTest, AreReadWithTheirNamesAndValues) {
  Session session = join("p0");
  session.thread("a").set_virtual_time(5);
  EventScope scope = consumer->open("with");
  EVENTSPACE_PROBE("tick", 1, 10);
  EXPECT_THAT(pull(scope), ElementsAre("missing process p1 ", "a: tick 1 10 @5"));
  EVENTSPACE_REGION_BEGIN("solve");
  EVENTSPACE_PROBE("tick", 2, 20, 3, 4, 5, 6, 7, 8);
  EVENTSPACE_REGION_END("solve");
  EXPECT_THAT(pull(scope), ElementsAre("missing process p1 ", "a: tick 2 20 3 4 5 6 7 8 @5", "a: solve @5"));
  EXPECT_THAT(view.names, testing::Contains(testing::Field(&OwnName::text, "solve")));
  EXPECT_THAT(pull(scope), ElementsAre("missing process p1 "));
  EXPECT_THAT(view.names, IsEmpty());  // each name comes once
}

TEST_F(ProbesSessionTest, AnEventIsNeverCutInTwo) {
  Session session = join("p0");
  session.thread("a");
  EventScope scope = consumer->open("tiny");
  for (int i = 1; i <= 2; ++i) EVENTSPACE_PROBE("tick", i, 2, 3, 4, 5);
  EXPECT_THAT(pull(scope), ElementsAre("missing process p1 ", "a: tick 1 2 3 4 5 @-1"));
  EXPECT_THAT(pull(scope), ElementsAre("missing process p1 ", "a: tick 2 2 3 4 5 @-1"));
}

TEST_F(ProbesSessionTest, AreNotReadByAScopeThatDoesNotAsk) {
  Session session = join("p0");
  (void)session.thread("a").path("send");
  EventScope scope = consumer->open("without");
  EVENTSPACE_PROBE("tick", 1);
  EXPECT_THAT(pull(scope), ElementsAre("missing process p1 "));
}

TEST_F(ProbesSessionTest, OfTwoProcessesOneProbeHasOneName) {
  EventScope scope = consumer->open("with");
  const auto tick = [](int value) { EVENTSPACE_PROBE("tick", value); };
  Session first = join("p0");
  first.thread("a");
  tick(1);
  Session second = join("p1");
  std::thread([&] {
    second.thread("b");
    tick(2);
  }).join();
  EXPECT_THAT(pull(scope), UnorderedElementsAre("a: tick 1 @-1", "b: tick 2 @-1"));
  EXPECT_EQ(header_of(view.records[0]).kind, probe_kind);
  EXPECT_NE(header_of(view.records[0]).path, header_of(view.records[1]).path);
  EXPECT_EQ(view.records[0].words[3] >> 32, view.records[1].words[3] >> 32);
}

TEST_F(ProbesSessionTest, OfAThreadThatNoPlanHasAreReadToo) {
  Session session = join("p0");
  session.thread("a");
  EventScope scope = consumer->open("with");
  std::thread([] { EVENTSPACE_PROBE("tick", 7); }).join();
  const auto told = pull(scope);
  ASSERT_EQ(told.size(), 2u);
  EXPECT_TRUE(told[1].starts_with("p0:")) << told[1];
  EXPECT_TRUE(told[1].ends_with(": tick 7 @-1")) << told[1];
}

TEST_F(ProbesSessionTest, AnOpenRegionIsInFlightForReadersOfTheNewest) {
  Session session = join("p0");
  session.thread("a");
  EventScope scope = consumer->open("newest");
  EVENTSPACE_REGION_BEGIN("solve");
  EXPECT_THAT(pull(scope), ElementsAre("missing process p1 ", "a: solve @-1 in flight"));
  EVENTSPACE_REGION_END("solve");
  EXPECT_THAT(pull(scope), ElementsAre("missing process p1 ", "a: solve @-1"));
}

TEST_F(ProbesSessionTest, AreFilteredWhereTheyAreByNameAndValue) {
  EventScope scope = consumer->open("slow");
  Session session = join("p0");
  session.thread("a");
  for (int i = 9; i > 0; --i) {
    EVENTSPACE_PROBE("tick", i, 0, 5 * i);
    EVENTSPACE_PROBE("tock", i, 0, 1000);
  }
  EXPECT_THAT(pull(scope), ElementsAre("missing process p1 ", "a: tick 9 0 45 @-1", "a: tick 8 0 40 @-1",
                                       "a: tick 7 0 35 @-1", "a: tick 6 0 30 @-1"));
}

TEST_F(ProbesSessionTest, AProcessThatComesBackIsFollowed) {
  EventScope scope = consumer->open("with");
  {
    Session session = join("p0");
    session.thread("a");
    EVENTSPACE_PROBE("first run", 1);
    EXPECT_THAT(pull(scope), ElementsAre("missing process p1 ", "a: first run 1 @-1"));
  }
  Session session = join("p0");
  session.thread("a");
  EVENTSPACE_PROBE("second run", 2);
  EVENTSPACE_PROBE("first run", 3);
  std::vector<std::string> told;
  test::eventually([&] {
    for (const std::string& event : pull(scope))
      if (!event.starts_with("missing")) told.push_back(event);
    return told.size() == 2;
  });
  EXPECT_THAT(told, ElementsAre("a: second run 2 @-1", "a: first run 3 @-1"));
}

TEST_F(ProbesSessionTest, ANameThatIsNoPlainTextIsMadeOne) {
  Session session = join("p0");
  session.thread("a");
  EventScope scope = consumer->open("with");
  const std::string long_name = std::string(4095, 'x') + "\xc3\xa4";  // cut off within the last letter
  for (const std::string& name :
       {std::string("\xff\x1b[2J"), long_name, std::string(), std::string("h\xc3\xb6he")}) {
    eventspace_probe_site site{name.c_str(), "\x01\xfe", 0, 0};
    eventspace_find_probes()->point(&site, nullptr, 0);
  }
  EXPECT_THAT(pull(scope),
              ElementsAre("missing process p1 ", "a: ??[2J @-1", "a: " + std::string(4095, 'x') + "? @-1",
                          "a: (unnamed) @-1", "a: h\xc3\xb6he @-1"));
}

TEST_F(ProbesSessionTest, AHundredThousandNamesAreBounded) {
  Session session = join("p0");
  session.thread("a");
  EventScope scope = consumer->open("with");
  for (int i = 0; i < 100'000; ++i) {
    const std::string name = "probe " + std::to_string(i);
    eventspace_probe_site site{name.c_str(), "", 0, 0};
    eventspace_find_probes()->point(&site, nullptr, 0);
  }
  const auto told = pull(scope);
  EXPECT_EQ(told.back(), "a: (more names) @-1");
  EXPECT_EQ(view.loss.earlier, 99'000u);  // the newest 1000 records are kept
  EXPECT_EQ(std::ranges::count(view.names, OwnNameOf::probe, &OwnName::of), 4096 + 1);
}

// Numbers of probes are made from their names (FNV-1a). These two names have the same number.
TEST_F(ProbesSessionTest, TwoProcessesThatGiveOneNumberDifferentNamesAreNotMistakenForEachOther) {
  EventScope scope = consumer->open("with");
  Session first = join("p0");
  first.thread("a");
  EVENTSPACE_PROBE("costarring", 1);
  EXPECT_THAT(pull(scope), ElementsAre("missing process p1 ", "a: costarring 1 @-1"));
  Session second = join("p1");
  std::thread([&] {
    second.thread("b");
    EVENTSPACE_PROBE("liquid", 2);
  }).join();
  std::vector<std::string> told;
  test::eventually([&] { return (told = pull(scope)).front() != "missing process p1 "; });
  EXPECT_THAT(told, ElementsAre("b: costarring or liquid 2 @-1"));
}

/// While it exists, files cannot grow: segments do not grow, as if the shared memory were full.
class NoLongerFiles {
 public:
  NoLongerFiles() {
    EXPECT_EQ(::getrlimit(RLIMIT_FSIZE, &before_), 0);
    const rlimit limit{1, before_.rlim_max};
    EXPECT_EQ(::setrlimit(RLIMIT_FSIZE, &limit), 0);
  }
  ~NoLongerFiles() { EXPECT_EQ(::setrlimit(RLIMIT_FSIZE, &before_), 0); }
  NoLongerFiles(const NoLongerFiles&) = delete;
  NoLongerFiles& operator=(const NoLongerFiles&) = delete;

 private:
  rlimit before_{};
};

TEST_F(ProbesSessionTest, WithoutRoomForMoreThreadsSomeHaveSparesAndTheOthersAreCounted) {
  Session session = join("p0");
  session.thread("a");
  EventScope scope = consumer->open("with");
  EVENTSPACE_PROBE("tick", 0);
  EXPECT_THAT(pull(scope), ElementsAre("missing process p1 ", "a: tick 0 @-1"));
  {
    const NoLongerFiles full;
    std::vector<std::thread> threads;
    std::barrier all_have_a_place{20};
    for (int i = 0; i < 20; ++i)
      threads.emplace_back([&] {
        EVENTSPACE_PROBE("tick", 1);
        all_have_a_place.arrive_and_wait();
        EVENTSPACE_PROBE("tick", 2);
      });
    for (std::thread& thread : threads) thread.join();
  }
  const auto told = pull(scope);
  ASSERT_THAT(told[0], testing::StartsWith("missing process p0 it has no room to record "));
  // Some threads may have fitted into memory that was reserved before.
  const std::uint64_t unrecorded = view.missing[0].sources;
  EXPECT_GE(unrecorded, 2u);
  EXPECT_LE(unrecorded, 16u);
  EXPECT_THAT(told, testing::SizeIs(2 + 2 * (20 - unrecorded)));
  EXPECT_THAT(told, testing::Contains(testing::StartsWith("p0:spare")));
  EXPECT_THAT(pull(scope), ElementsAre("missing process p1 "));  // named once
}

TEST_F(ProbesSessionTest, ManyShortThreadsTakeTurnsWithTraceElements) {
  Session session = join("p0");
  session.thread("a");
  EventScope scope = consumer->open("with");
  EVENTSPACE_PROBE("tick", 0);
  (void)pull(scope);
  for (int i = 1; i <= 1500; ++i) std::thread([i] { EVENTSPACE_PROBE("tick", i); }).join();
  const auto told = pull(scope);
  EXPECT_THAT(told, testing::SizeIs(1 + 1500));  // the missing process; no events are lost
  EXPECT_THAT(std::set(told.begin(), told.end()), testing::SizeIs(1 + 1500));
  EXPECT_EQ(view.loss.discarded + view.loss.earlier, 0u);
}

/// Records a probe when its thread ends.
struct LastWords {
  ~LastWords() { EVENTSPACE_PROBE("last words"); }
};

TEST_F(ProbesSessionTest, WhatAThreadRecordsAfterItsTraceElementIsGivenAwayDoesNothing) {
  Session session = join("p0");
  session.thread("a");
  EventScope scope = consumer->open("with");
  std::thread([] {
    thread_local const LastWords before;  // destroyed after the trace element is given away
    (void)before;
    EVENTSPACE_PROBE("words");
  }).join();
  std::thread([] { EVENTSPACE_PROBE("other words"); }).join();
  auto told = pull(scope);
  for (std::string& one : told) one = one.substr(one.rfind(": ") + 1);
  EXPECT_THAT(told, ElementsAre("missing process p1 ", " words @-1", " other words @-1"));
}

}  // namespace
}  // namespace eventspace
