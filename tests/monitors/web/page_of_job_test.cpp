// Compares the verdicts on a page with those of the heartbeat, for MPI programs that hang: live and recorded.
#include <map>
#include <set>
#include <string>
#include <vector>

#include "tests/monitors/mpi/mpi_job.h"
#include "tests/monitors/web/page_client.h"

namespace eventspace {
namespace {

using nlohmann::json;
using testing_commands::Call;
using testing_commands::eventually;
using testing_commands::PageClient;

constexpr const char* stalled_after = "1s";

class PageTest : public test::MpiJob {
 protected:
  Call open(const std::string& session) {
    Call web = start({"web", session, "--stall", stalled_after});
    EXPECT_TRUE(web.says("observer  http://")) << web.err();
    return web;
  }
};

class PageOfJob : public PageTest, public testing::WithParamInterface<const char*> {
 protected:
  /// The verdicts that the heartbeat prints for one look.
  json stalls(const std::string& session) {
    Call heartbeat = call({"heartbeat", session, "--once", "--stall", stalled_after, "--format", "json"});
    json last;
    for (const json& row : testing_commands::objects_in(heartbeat.out()))
      if (row["type"] == "pull") last = row["mpi_stalls"];
    return last;
  }
  static json stalls_on(const PageClient& page) {
    const json verdict = page.part("verdict");
    json all = json::array();
    for (const json& culprit : verdict["culprits"])
      if (culprit.contains("detail")) all.push_back(culprit["detail"]);
    return all;
  }
  /// Without what changes from look to look.
  static json steady(json value) {
    if (value.is_object())
      for (const char* const changing : {"longest_s", "for_s", "limit_s"}) value.erase(changing);
    if (value.is_structured())
      for (json& member : value) member = steady(member);
    return value;
  }
  /// Opens the page of a recording at its end.
  json recorded_stalls() {
    Call web = open(file("hang.evs"));
    const PageClient page(web, "owner");
    EXPECT_TRUE(eventually([&] { return page.part("about")["kind"] == "recording"; }));
    EXPECT_EQ(page.order("pause", "{}"), 200);
    // Not the end to which it may have played already, with other looks before.
    EXPECT_EQ(page.order("seek", "{\"position\": 0}"), 200);
    EXPECT_TRUE(eventually([&] { return page.part("clock")["at"] == 0; })) << page.part("clock");
    EXPECT_EQ(page.order("seek", "{\"position\": 1e99}"), 200);
    const json length = page.part("about")["recording"]["length"];
    EXPECT_TRUE(eventually([&] { return page.part("clock")["at"] == length; })) << page.part("clock");
    return stalls_on(page);
  }
};

// Each needs calls before the newest one of a rank: messages that were sent, and operations that were
// entered.
INSTANTIATE_TEST_SUITE_P(Fault, PageOfJob,
                         testing::Values("lost_receive", "two_communicators", "polls_by_turns"),
                         [](const auto& tested) { return std::string(tested.param); });

TEST_P(PageOfJob, HasTheVerdictsOfTheHeartbeatLiveAndRecorded) {
  Call program = run(GetParam());
  ASSERT_TRUE(program.says("ready")) << program.err();
  ASSERT_TRUE(eventually([&] { return !stalls("job").empty(); }));
  {
    Call web = open("job");
    const PageClient page(web, "owner");
    EXPECT_TRUE(eventually([&] { return steady(stalls_on(page)) == steady(stalls("job")); }))
        << stalls_on(page).dump(1) << stalls("job").dump(1);
  }
  // A rank that polls may have had no processor in the last moments of a recording.
  json expected;
  ASSERT_TRUE(eventually([&] {
    Call record = call({"record", "job", "-o", file("hang.evs"), "--force", "--for", "300ms"});
    EXPECT_EQ(record.status(), 0) << record.err();
    expected = stalls(file("hang.evs"));
    return !expected.empty();
  }));
  EXPECT_EQ(recorded_stalls(), expected);
}

/// A page of a recorded job, which shows all that is made of its events.
class PageOfRecordedJob : public PageTest {
 protected:
  void record_job() {
    Call run =
        start(words_of({"run", "--session", "job", "--record", recording(), "--", MPIRUN, "-np", "4"}));
    ASSERT_TRUE(run.says("ready")) << run.err();
    go_on();
    ASSERT_EQ(run.status(), 0) << run.err();
  }
  static std::vector<std::string> words_of(std::vector<std::string> words) {
    if (std::string(MPI_NAME) == "openmpi") words.emplace_back("--oversubscribe");
    words.insert(words.end(), {RANDOM_JOB, "1"});
    return words;
  }
  [[nodiscard]] std::string recording() const { return file("job.evs").string(); }

  /// The rows of a table of `profile`.
  json table(const std::string& name) {
    Call profile = call({"profile", recording(), "--limit", "0", "--format", "json"});
    EXPECT_EQ(profile.status(), 0) << profile.err();
    json rows = json::array();
    for (json row : testing_commands::objects_in(profile.out())) {
      if (row["table"] != name) continue;
      row.erase("table");
      row.erase("waiting_share");
      rows.push_back(row);
    }
    return rows;
  }
  /// The rows of columns.
  static json rows_of(const json& columns, const std::vector<std::pair<std::string, std::string>>& names) {
    json rows = json::array();
    for (std::size_t i = 0; i < columns[names[0].first].size(); ++i) {
      json row;
      for (const auto& [column, name] : names) row[name] = columns[column][i];
      rows.push_back(row);
    }
    return rows;
  }
  static std::vector<std::pair<std::string, std::string>> same(const std::vector<std::string>& names) {
    std::vector<std::pair<std::string, std::string>> pairs;
    for (const std::string& name : names) pairs.emplace_back(name, name);
    return pairs;
  }
  static std::multiset<std::string> set_of(const json& rows) {
    std::multiset<std::string> set;
    for (const json& row : rows) set.insert(row.dump());
    return set;
  }
  static const std::vector<std::string>& columns_of_calls() {
    static const std::vector<std::string> names{"call", "site", "calls", "time_s", "longest_s", "bytes"};
    return names;
  }

  /// The matrix of one communicator, as `profile` prints it.
  static json flows_of(const PageClient& page, std::size_t number, const json& over) {
    const json rows = page.part("communication")["rows"];
    json flows =
        rows_of(page.part("flows/" + std::to_string(number)), same({"row", "column", "messages", "bytes"}));
    for (json& flow : flows) {
      flow = {{"from", rows[flow["row"].get<std::size_t>()]},
              {"to", rows[flow["column"].get<std::size_t>()]},
              {"over", over},
              {"messages", flow["messages"]},
              {"bytes", flow["bytes"]}};
    }
    return flows;
  }
};

TEST_F(PageOfRecordedJob, HasTheNumbersOfTheProfile) {
  record_job();
  Call web = open(file("job.evs"));
  const PageClient page(web, "owner");
  testing_commands::RawClient stream(page.port());
  (void)stream.send(
      testing_commands::get_request("/api/s/0/stream?parts=profile,call_sites,communication,flows,calls_of/"
                                    "0,calls_of/1,calls_of/2,calls_of/3",
                                    page.port(), page.cookie()));
  ASSERT_TRUE(eventually([&] {
    const json part = page.part("profile");
    return part.is_object() && part["reading"]["is_whole"] == true;
  })) << page.part("profile");

  const json threads = page.part("profile/0");
  json printed = table("threads");
  for (json& row : printed) row.erase("rank");  // which the page does not have
  EXPECT_EQ(set_of(rows_of(threads, {{"names", "thread"},
                                     {"nodes", "node"},
                                     {"calls", "calls"},
                                     {"span_s", "span_s"},
                                     {"compute_s", "compute_s"},
                                     {"transfer_s", "transfer_s"},
                                     {"waiting_s", "waiting_s"},
                                     {"late_s", "late_s"}})),
            set_of(printed));
  const json calls = table("calls");
  EXPECT_EQ(set_of(rows_of(page.part("call_sites"), same(columns_of_calls()))), set_of(calls));
  std::map<std::string, std::uint64_t> of_threads, of_all;
  for (int i = 0; i < 4; ++i)
    for (const json& row : rows_of(page.part("calls_of/" + std::to_string(i)), same(columns_of_calls())))
      of_threads[row["call"].get<std::string>() + row["site"].get<std::string>()] +=
          row["calls"].get<std::uint64_t>();
  for (const json& row : calls)
    of_all[row["call"].get<std::string>() + row["site"].get<std::string>()] =
        row["calls"].get<std::uint64_t>();
  EXPECT_EQ(of_threads, of_all);

  const json over = page.part("communication")["over"]["name"];
  ASSERT_FALSE(over.empty());
  json flows = json::array();
  for (std::size_t i = 0; i < over.size(); ++i)
    for (const json& flow : flows_of(page, i + 1, over[i])) flows.push_back(flow);
  EXPECT_EQ(set_of(flows), set_of(table("matrix")));
  EXPECT_EQ(
      set_of(rows_of(page.part("communication")["sizes"], same({"what", "least", "most", "count", "bytes"}))),
      set_of(table("sizes")));
}

TEST_F(PageOfRecordedJob, MeasuresAsMeasureDoes) {
  record_job();
  const std::vector<std::string> metrics{"Send_count", "Send_volume", "Receive_count", "Barrier_count"};
  std::vector<std::string> words{"measure", recording(), "--format", "json"};
  words.insert(words.end(), metrics.begin(), metrics.end());
  std::map<std::string, json> expected;  // the last value, by metric and object
  Call measure = call(words);
  for (const json& row : testing_commands::objects_in(measure.out()))
    expected[row["metric"].get<std::string>() + row["objects"].dump()] = row["value"];
  ASSERT_GE(expected.size(), 8U) << measure.out() << measure.err();

  Call web = start({"web", recording(), "--alert", "Barrier_count > 0"});
  ASSERT_TRUE(web.says("observer  http://")) << web.err();
  const PageClient page(web, "owner");
  testing_commands::RawClient stream(page.port());
  std::string parts = "metrics,metric/Nonsense";
  for (const std::string& metric : metrics) parts += ",metric/" + metric;
  (void)stream.send(
      testing_commands::get_request("/api/s/0/stream?parts=" + parts, page.port(), page.cookie()));
  ASSERT_TRUE(eventually([&] { return page.part("about")["kind"] == "recording"; }));
  EXPECT_EQ(page.order("pause", "{}"), 200);
  EXPECT_EQ(page.order("seek", "{\"position\": 1e99}"), 200);
  const json length = page.part("about")["recording"]["length"];
  ASSERT_TRUE(eventually([&] { return page.part("clock")["at"] == length; })) << page.part("clock");
  std::map<std::string, json> shown;
  for (const std::string& metric : metrics) {
    const json part = page.part("metric/" + metric);
    for (std::size_t i = 0; i < part["value"].size(); ++i)
      shown[metric + part["objects"][i].dump()] = part["value"][i];
  }
  EXPECT_EQ(shown, expected);
  EXPECT_TRUE(page.part("metric/Nonsense").is_null()) << "names that pages make up must not fill the memory";
  EXPECT_THAT(page.part("metrics")["metrics"].dump(), testing::HasSubstr("Send_volume"));
  EXPECT_THAT(page.part("log").dump(), testing::HasSubstr("alert: Barrier_count > 0"));
}

}  // namespace
}  // namespace eventspace
