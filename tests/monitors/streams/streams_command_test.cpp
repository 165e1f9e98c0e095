#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <thread>

#include <eventspace/packet.h>
#include <eventspace/stream_network.h>
#include <eventspace/streams.h>
#include "tests/lines.h"
#include "tests/monitors/cli/json_page.h"
#include "tests/monitors/json_lines.h"
#include "tests/monitors/workplace.h"

// `eventspace streams`, and `eventspace serve --streams-on-input` as the internal processes of networks.

namespace eventspace {
namespace {

using namespace std::chrono_literals;
using streams::FrontEnd;
using streams::LaunchedNetwork;
using streams::LaunchOptions;
using streams::Topology;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;
using testing_commands::Call;

Deadline soon() { return Deadline::after(60s); }

class StreamsCommand : public testing_commands::Workplace {
 protected:
  static LaunchOptions served() { return {.internal = {EVENTSPACE_PROGRAM, "serve", "--streams-on-input"}}; }

  /// Runs the command while the front-end serves its network.
  Call ask(FrontEnd& front_end, const std::vector<std::string>& arguments) {
    Call asked = start(arguments);
    std::atomic<bool> done{false};
    std::thread waiting([&] {
      (void)asked.status();
      done = true;
    });
    while (!done) front_end.serve(Deadline::after(5ms));
    waiting.join();
    return asked;
  }
};

/// Checks that docs/json.md names each member of the objects; there must be at least one object.
void expect_documented(const std::string& lines) {
  const auto page = testing_commands::JsonPage::of_docs();
  const auto objects = testing_commands::objects_in(lines);
  EXPECT_FALSE(objects.empty());
  for (const auto& object : objects) {
    for (const auto& [name, value] : object.items()) EXPECT_TRUE(page.has("streams", name)) << name;
  }
}

TEST_F(StreamsCommand, ListsNetworksWithTheirProcesses) {
  LaunchedNetwork network(Topology::of_text("2x2"), served(), "tools");
  network.wait_until_ready(soon());
  Call listed = ask(network.front_end(), {"streams", "--format", "csv"});
  EXPECT_EQ(listed.status(), 0) << listed.err();
  const auto lines = test::lines_of(listed.out());
  ASSERT_THAT(lines, SizeIs(2));
  EXPECT_THAT(lines[0], HasSubstr("network,pid,back_ends,attached,internal_processes"));
  EXPECT_THAT(lines[1], HasSubstr(",4,0,2,0,")) << "four places, no back-end, two internal processes";
  EXPECT_THAT(lines[1], HasSubstr("incomplete"));
}

TEST_F(StreamsCommand, ShowsTheCountsOfEachStreamInEachProcess) {
  LaunchedNetwork network(Topology::of_text("2x1x1"), served(), "tools");
  network.wait_until_ready(soon());
  FrontEnd& front_end = network.front_end();
  const std::uint32_t stream = front_end.open({.members = front_end.internals(), .up = {{"count", {}}}});
  ASSERT_TRUE(front_end.send(stream, streams::Format<std::string_view>::make(0, "ping"), soon()));
  ASSERT_TRUE(front_end.receive(stream, soon()));
  Call shown = ask(front_end, {"streams", "tools", "--format", "json"});
  EXPECT_EQ(shown.status(), 0) << shown.err();
  int with_a_wave = 0;
  for (const std::string& line : test::lines_of(shown.out())) {
    if (line.find("\"stream\":" + std::to_string(stream)) == std::string::npos) continue;
    with_a_wave += line.find("\"waves\":1,") == std::string::npos ? 0 : 1;
  }
  EXPECT_EQ(with_a_wave, 5) << shown.out();
  expect_documented(shown.out());
  Call listed = ask(front_end, {"streams", "--format", "json"});
  expect_documented(listed.out());
  Call filters = ask(front_end, {"streams", "tools", "--filters", "--format", "json"});
  EXPECT_EQ(filters.status(), 0) << filters.err();
  expect_documented(filters.out());
  EXPECT_THAT(test::lines_of(filters.out()), SizeIs(5)) << "the filter of each process";
  EXPECT_THAT(filters.out(), HasSubstr(R"("filter":"count","applied":1,"packets_in":)"));
}

TEST_F(StreamsCommand, ANetworkOverTheNetworkIsAskedWithItsKeys) {
  LaunchOptions options = served();
  options.over_network = true;
  LaunchedNetwork network(Topology::of_text("1x1"), options, "far");
  network.wait_until_ready(soon());
  Call listed = ask(network.front_end(), {"streams", "far"});
  EXPECT_EQ(listed.status(), 0) << listed.err();
}

TEST_F(StreamsCommand, WithoutNetworksItSaysSoAndAnUnknownOneIsNotFound) {
  Call none = call({"streams"});
  EXPECT_EQ(none.status(), 0);
  EXPECT_THAT(none.out(), IsEmpty());
  EXPECT_THAT(none.err(), HasSubstr("no network of streams runs on this machine"));
  Call unknown = call({"streams", "tools"});
  EXPECT_EQ(unknown.status(), 3);
  EXPECT_THAT(unknown.err(), HasSubstr("no network of streams 'tools' runs on this machine"));
}

TEST_F(StreamsCommand, AFrontEndThatDoesNotTakePartIsListedWithTheReason) {
  LaunchedNetwork network(Topology::of_text("1x1"), served(), "busy");
  network.wait_until_ready(soon());
  Call listed = call({"streams", "--timeout", "200ms"});
  EXPECT_EQ(listed.status(), 3);
  EXPECT_THAT(listed.out(), HasSubstr("busy"));
}

TEST_F(StreamsCommand, AStartSheetThatIsNoneIsRefused) {
  Call served = call({"serve", "--streams-on-input"});
  EXPECT_EQ(served.status(), 2);
  EXPECT_THAT(served.err(), HasSubstr("is started by its parent"));
  Call mixed = call({"serve", "--streams-on-input", "--session", "x"});
  EXPECT_EQ(mixed.status(), 2);
  EXPECT_THAT(mixed.err(), HasSubstr("excludes other arguments"));
}

}  // namespace
}  // namespace eventspace
