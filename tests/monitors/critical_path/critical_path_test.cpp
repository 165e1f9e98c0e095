#include "monitors/critical_path/critical_path.h"

#include <gmock/gmock.h>

#include <fmt/format.h>

#include <algorithm>
#include <deque>
#include <limits>
#include <map>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "monitors/critical_path/path_profile.h"
#include "tests/monitors/wait_states/made_run.h"

// Critical paths of made-up runs: of closed form, and of random programs, where a search through all paths of
// their graph finds the same.
namespace eventspace {
namespace {

using test::MadeRun;
using test::us;
using testing::DoubleNear;
using testing::ElementsAre;
using testing::IsEmpty;
using Break = CriticalPath::Break;

CriticalPath path_of(const RunActivities& run) { return find_critical_path(run, find_waits(run)); }
PathProfile profile_of(const RunActivities& run) {
  const WaitStates found = find_waits(run);
  return profile_path(run, found, find_critical_path(run, found));
}

std::string name_of(const RunActivities& run, const PathActivity& of) {
  return of.is_call ? run.site_name(of.number) : "computing " + run.region_name(of.number);
}

/// "0: computing solve 100us", "1: MPI_Recv 5us from 1", one for each segment.
std::vector<std::string> shown(const RunActivities& run, const CriticalPath& path) {
  std::vector<std::string> all;
  for (const PathSegment& segment : path.segments)
    all.push_back(fmt::format("{}: {} {}us{}", segment.location, name_of(run, segment.of), segment.ns() / us,
                              segment.from ? fmt::format(" from {}", *segment.from) : ""));
  return all;
}

// --- paths of closed form ---------------------------------------------------------------------------------

TEST(CriticalPath, GoesFromACallThatWaitedToTheLocationThatCausedTheWait) {
  MadeRun made(2);
  made.work(0, 100, "solve").work(1, 10).send(0, 1).receive(1, 0).work(1, 7).call(1, 1);
  const RunActivities& run = made.run;
  const CriticalPath path = path_of(run);
  EXPECT_THAT(shown(run, path),
              ElementsAre("1: MPI_Recv 5us from 0", "1: computing  7us", "1: MPI_Wtime 1us"))
      << "the time before the first call of rank 0 was not recorded";
  EXPECT_EQ(path.breaks, Break::first_call);
  EXPECT_EQ(path.begin_location, 0U);
}

TEST(CriticalPath, CoversTheRunFromItsLastEndToTheBeginOfALocation) {
  MadeRun made(3);
  made.meet(WaitKind::startup);
  made.work(0, 100, "solve").work(1, 60, "solve").send(0, 1).receive(1, 0).work(1, 20, "output");
  made.meet(WaitKind::barrier);
  const CriticalPath path = path_of(made.run);
  EXPECT_THAT(shown(made.run, path),
              ElementsAre("0: start-up 3us", "0: computing solve 100us", "1: MPI_Recv 5us from 0",
                          "1: computing output 20us", "0: wait at barrier 3us from 1"));
  EXPECT_EQ(path.ns(), 131 * us);
  EXPECT_EQ(path.covered(), 1);
  EXPECT_EQ(path.jumps, 2U);
  EXPECT_EQ(path.transfer_ns, 8 * us);
}

TEST(CriticalPath, GoesThroughAReceiverThatIsLate) {
  MadeRun made(2);
  made.meet(WaitKind::startup);
  made.work(0, 10).work(1, 70, "unpack").hand_over(0, 1).work(0, 5).call(0, 1);
  EXPECT_THAT(shown(made.run, path_of(made.run)),
              ElementsAre("1: start-up 3us", "1: computing unpack 70us", "0: MPI_Ssend 5us from 1",
                          "0: computing  5us", "0: MPI_Wtime 1us"));
}

// The writer waits for room, which the take of an earlier tuple makes; the reader waits for the writer.
TEST(CriticalPath, GoesThroughAWriteThatWaitedForRoom) {
  RunActivities run;
  for (const char* const name : {"writer", "reader", "slow reader"}) run.add_location(name, {});
  const std::uint32_t write = run.site("write"), take = run.site("take");
  run.add(2, {.begin_ns = 0, .end_ns = 10, .site = take});
  const ActivityRef room = run.add(2, {.begin_ns = 50, .end_ns = 60, .site = take});
  const ActivityRef written = run.add(0, {.begin_ns = 20, .end_ns = 65, .site = write});
  const ActivityRef taken = run.add(1, {.begin_ns = 5, .end_ns = 70, .site = take});
  run.link({.kind = WaitKind::late_receiver, .needs_end = true, .waiting = written, .cause = room});
  run.link({.kind = WaitKind::late_sender, .needs_end = true, .waiting = taken, .cause = written});
  const CriticalPath path = path_of(run);
  std::vector<std::pair<std::uint32_t, std::int64_t>> pieces;
  for (const PathSegment& segment : path.segments) pieces.emplace_back(segment.location, segment.ns());
  EXPECT_THAT(pieces, ElementsAre(std::pair(2U, 10), std::pair(2U, 40), std::pair(2U, 10), std::pair(0U, 5),
                                  std::pair(1U, 5)));
}

TEST(CriticalPath, DividesComputationByTheRegionsInIt) {
  MadeRun made(1);
  made.call(0, 1);
  made.work(0, 5).work(0, 20, "a").work(0, 30, "b").work(0, 4).call(0, 1);
  EXPECT_THAT(shown(made.run, path_of(made.run)),
              ElementsAre("0: MPI_Wtime 1us", "0: computing  5us", "0: computing a 20us",
                          "0: computing b 30us", "0: computing  4us", "0: MPI_Wtime 1us"));
}

// --- random programs --------------------------------------------------------------------------------------

/// A random program as a graph of the begins and ends of its calls. An edge has a weight: computation, or the
/// work of a call. Its longest path is found by visiting all paths.
class Graph {
 public:
  using Label = std::pair<std::string, std::uint32_t>;  // activity, location
  struct Edge {
    std::size_t from{0};
    std::int64_t weight{0};
    Label label{};
  };
  struct Longest {
    std::int64_t length{0};
    std::map<Label, std::int64_t> sums{};
    std::uint64_t equals{0};  // paths of that length with other sums
  };

  explicit Graph(std::uint32_t locations) : last_(locations), work_(locations) {}

  void work(std::uint32_t location, std::int64_t duration, const std::string& region) {
    work_[location].emplace_back(duration, "computing " + region);
  }
  /// Returns the begin and the end of a call that depends on its own begin; more are added with depends().
  std::pair<std::size_t, std::size_t> call(std::uint32_t location) {
    std::optional<std::size_t> at = last_[location];
    if (!at) at = add_node();
    for (const auto& [duration, region] : std::exchange(work_[location], {})) {
      const std::size_t next = add_node();
      nodes_[next].push_back({*at, duration, {region, location}});
      at = next;
    }
    const std::size_t end = add_node();
    last_[location] = end;
    return {*at, end};
  }
  void depends(std::size_t end, std::size_t on, std::int64_t weight, const Label& label) {
    nodes_[end].push_back({on, weight, label});
  }
  [[nodiscard]] Longest longest() const {
    Longest longest{.length = -1};
    for (const auto& end : last_) {
      std::vector<const Edge*> taken;
      if (end) visit(*end, 0, taken, longest);
    }
    return longest;
  }

 private:
  std::size_t add_node() {
    nodes_.emplace_back();
    return nodes_.size() - 1;
  }
  void visit(std::size_t node, std::int64_t length, std::vector<const Edge*>& taken, Longest& longest) const {
    for (const Edge& edge : nodes_[node]) {
      taken.push_back(&edge);
      visit(edge.from, length + edge.weight, taken, longest);
      taken.pop_back();
    }
    if (!nodes_[node].empty() || length < longest.length) return;
    std::map<Label, std::int64_t> sums;
    for (const Edge* const edge : taken)
      if (edge->weight > 0) sums[edge->label] += edge->weight;
    const bool is_equal = length == longest.length;
    if (is_equal && sums != longest.sums) ++longest.equals;
    if (is_equal) return;
    longest = {.length = length, .sums = std::move(sums)};
  }

  std::vector<std::vector<Edge>> nodes_;  // the edges to each
  std::vector<std::optional<std::size_t>> last_;
  std::vector<std::vector<std::pair<std::int64_t, std::string>>> work_;
};

/// The same random program as a run and as a graph.
class RandomProgram {
 public:
  RandomProgram(std::uint32_t locations, unsigned seed)
      : made(locations), graph(locations), locations_(locations), random_(seed) {
    all_meet(WaitKind::startup);
  }

  void step() {
    const std::uint32_t location = any(locations_);
    const std::int64_t duration = 1 + any(1'000'000);
    const std::string region = any(3) == 0 ? "solve" : "";
    made.work(location, duration, region);
    graph.work(location, duration, region);
    const std::uint32_t other = (location + 1 + any(locations_ - 1)) % locations_;
    switch (any(6)) {
      case 0:
        return message(location, other);
      case 1:
        return hand_over(location, other);
      case 2:
        return receive_any(location);
      case 3:
        return all_meet(any(2) == 0 ? WaitKind::barrier : WaitKind::n_to_n);
      case 4:
        return all_meet(WaitKind::early_reduce, location);
      default:
        return all_meet(WaitKind::late_broadcast, location);
    }
  }
  // All messages are received, and no two locations end at one time.
  void finish() {
    for (std::uint32_t location = 0; location < locations_; ++location) {
      while (is_due(location)) receive_any(location);
      const std::int64_t duration = 1 + any(1'000'000);
      made.call(location, duration);
      const auto [begin, end] = graph.call(location);
      graph.depends(end, begin, duration, {"MPI_Wtime", location});
    }
  }

  MadeRun made;
  Graph graph;

 private:
  std::uint32_t any(std::uint32_t below) { return static_cast<std::uint32_t>(random_() % below); }
  std::int64_t weight() { return 1 + any(100'000); }
  [[nodiscard]] bool is_due(std::uint32_t location) const {
    return std::ranges::any_of(sent_, [&](const auto& one) { return one.first.second == location; });
  }

  void message(std::uint32_t from, std::uint32_t to) {
    const std::int64_t duration = weight();
    made.send(from, to, duration);
    const auto [begin, end] = graph.call(from);
    graph.depends(end, begin, duration, {"MPI_Send", from});
    sent_.push_back({{from, to}, begin});
  }
  void receive_any(std::uint32_t location) {
    const auto due =
        std::ranges::find_if(sent_, [&](const auto& one) { return one.first.second == location; });
    if (due == sent_.end()) return;
    const std::int64_t duration = weight();
    made.receive(location, due->first.first, duration);
    const auto [begin, end] = graph.call(location);
    for (const std::size_t on : {begin, due->second})
      graph.depends(end, on, duration, {"MPI_Recv", location});
    sent_.erase(due);
  }
  void hand_over(std::uint32_t from, std::uint32_t to) {
    const std::int64_t duration = weight();
    made.hand_over(from, to, duration);
    const auto [sent, sent_end] = graph.call(from);
    const auto [posted, received_end] = graph.call(to);
    for (const std::size_t on : {sent, posted}) {
      graph.depends(sent_end, on, duration, {"MPI_Ssend", from});
      graph.depends(received_end, on, duration, {"MPI_Recv", to});
    }
  }
  void all_meet(WaitKind kind, std::uint32_t root = 0) {
    const std::int64_t duration = weight();
    made.meet(kind, duration, root);
    std::vector<std::pair<std::size_t, std::size_t>> calls;
    for (std::uint32_t location = 0; location < locations_; ++location) calls.push_back(graph.call(location));
    const auto waits_for = [&](std::uint32_t location, std::uint32_t other) {
      if (location == other) return true;
      if (kind == WaitKind::early_reduce) return location == root;
      return kind != WaitKind::late_broadcast || other == root;
    };
    for (std::uint32_t location = 0; location < locations_; ++location)
      for (std::uint32_t other = 0; other < locations_; ++other)
        if (waits_for(location, other))
          graph.depends(calls[location].second, calls[other].first, duration,
                        {std::string(to_string(kind)), location});
  }

  std::uint32_t locations_;
  std::mt19937 random_;
  std::deque<std::pair<std::pair<std::uint32_t, std::uint32_t>, std::size_t>> sent_;
};

void expect_valid(const RunActivities& run, const CriticalPath& path) {
  std::int64_t at = path.begin_ns;
  std::uint32_t location = path.begin_location;
  for (const PathSegment& segment : path.segments) {
    EXPECT_EQ(segment.begin_ns, at);
    EXPECT_GT(segment.ns(), 0);
    if (segment.from)
      EXPECT_EQ(*segment.from, location);
    else
      EXPECT_EQ(segment.location, location);
    at = segment.end_ns;
    location = segment.location;
  }
  EXPECT_EQ(at, path.end_ns);
  EXPECT_EQ(path.breaks, Break::none);
  EXPECT_LT(path.begin_location, run.locations());
}

TEST(CriticalPath, IsTheLongestOfAllPathsOfRandomPrograms) {
  std::size_t compared = 0;
  for (unsigned seed = 1; seed <= 400; ++seed) {
    SCOPED_TRACE(fmt::format("seed {}", seed));
    RandomProgram program(2 + seed % 3, seed);
    for (int step = 0; step < 8; ++step) program.step();
    program.finish();
    const RunActivities& run = program.made.run;
    const CriticalPath path = path_of(run);
    const Graph::Longest longest = program.graph.longest();
    EXPECT_EQ(path.ns(), longest.length * us);
    expect_valid(run, path);
    if (longest.equals > 0) continue;  // several paths are equally long
    ++compared;
    std::map<Graph::Label, std::int64_t> sums;
    for (const auto& [key, ns] : path.sums) sums[{name_of(run, key.first), key.second}] += ns / us;
    EXPECT_EQ(sums, longest.sums);
  }
  EXPECT_GT(compared, 300U);
}

TEST(CriticalPath, OfLongRandomProgramsIsAsLongAsTheRun) {
  for (unsigned seed = 1; seed <= 30; ++seed) {
    RandomProgram program(8, seed);
    for (int step = 0; step < 500; ++step) program.step();
    program.finish();
    const CriticalPath path = path_of(program.made.run);
    expect_valid(program.made.run, path);
    std::int64_t last = 0;
    for (std::uint32_t location = 0; location < 8; ++location)
      last = std::max(last, program.made.run.activities(location).back().end_ns);
    EXPECT_EQ(path.ns(), last);
  }
}

// --- unknown parts -------------------------------------------------------------------------------------

TEST(CriticalPath, EndsWhereRecordsOfItsLocationAreMissing) {
  RunActivities run;
  run.add_location("rank 0", {});
  run.add(0, {.begin_ns = 0, .end_ns = 10});
  run.add(0, {.begin_ns = 600, .end_ns = 700, .follows_gap = true});
  run.add(0, {.begin_ns = 900, .end_ns = 1000});
  const CriticalPath path = path_of(run);
  EXPECT_EQ(path.breaks, Break::gap);
  EXPECT_EQ(path.begin_ns, 600);
  EXPECT_DOUBLE_EQ(path.covered(), 0.4);
}

TEST(CriticalPath, EndsAtACauseThatFollowsAGap) {
  RunActivities run;
  for (const char* const name : {"rank 0", "rank 1"}) run.add_location(name, {});
  run.add(0, {.begin_ns = 0, .end_ns = 10});
  const ActivityRef sent = run.add(0, {.begin_ns = 600, .end_ns = 610, .follows_gap = true});
  const ActivityRef received = run.add(1, {.begin_ns = 100, .end_ns = 700});
  run.link({.kind = WaitKind::late_sender, .waiting = received, .cause = sent});
  const CriticalPath path = path_of(run);
  EXPECT_EQ(path.breaks, Break::gap);
  EXPECT_EQ(path.begin_location, 0U);
  EXPECT_EQ(path.ns(), 100);
}

TEST(CriticalPath, EndsAtACallThatMayHaveWaitedForMissingRecords) {
  RunActivities run;
  for (const char* const name : {"rank 0", "rank 1"}) run.add_location(name, {});
  run.add(0, {.begin_ns = 0, .end_ns = 10});
  const ActivityRef received = run.add(0, {.begin_ns = 100, .end_ns = 700});
  run.mark_unknown(received);
  run.add(0, {.begin_ns = 950, .end_ns = 1000});
  const CriticalPath path = path_of(run);
  EXPECT_EQ(path.breaks, Break::unknown);
  EXPECT_EQ(path.begin_ns, 700);
  EXPECT_DOUBLE_EQ(path.covered(), 0.3);
}

TEST(CriticalPath, StaysOnTheLocationWhereTheClocksCannotTell) {
  RunActivities run;
  run.add_location("rank 0", {.number = 1, .error_ns = 500});
  run.add_location("rank 1", {.number = 2, .error_ns = 500});
  const ActivityRef sent = run.add(0, {.begin_ns = 600, .end_ns = 610});
  const ActivityRef received = run.add(1, {.begin_ns = 100, .end_ns = 700});
  run.link({.kind = WaitKind::late_sender, .waiting = received, .cause = sent});
  const CriticalPath path = path_of(run);
  EXPECT_EQ(path.begin_location, 1U);
  EXPECT_EQ(path.jumps, 0U);
  EXPECT_EQ(path.unclear, 1U);
  EXPECT_EQ(path.unclear_ns, 500);
}

TEST(CriticalPath, CountsCallsWhoseWaitsAreNotAnalysed) {
  RunActivities run;
  run.add_location("rank 0", {});
  run.mark_unfollowed(run.add(0, {.begin_ns = 100, .end_ns = 300}));
  run.add(0, {.begin_ns = 400, .end_ns = 500});
  EXPECT_EQ(path_of(run).unfollowed_ns, 200);
}

TEST(CriticalPath, IsCompleteIfItBeginsOnlyALittleLaterThanTheRun) {
  for (const auto& [late, breaks] : {std::pair(15, Break::none), std::pair(25, Break::first_call)}) {
    RunActivities run;
    for (const char* const name : {"rank 0", "rank 1"}) run.add_location(name, {});
    run.add(0, {.begin_ns = 0, .end_ns = 10});
    run.add(1, {.begin_ns = late, .end_ns = 1000});
    const CriticalPath path = path_of(run);
    EXPECT_EQ(path.breaks, breaks) << late;
    EXPECT_EQ(path.begin_location, 1U);
  }
}

TEST(CriticalPath, CountsCallsThatHadNotEnded) {
  RunActivities run;
  for (const char* const name : {"rank 0", "rank 1", "rank 2"}) run.add_location(name, {});
  run.add(0, {.begin_ns = 0, .end_ns = 100});
  run.add(0, {.begin_ns = 150, .end_ns = 1000, .is_in_flight = true});
  run.add(1, {.begin_ns = 900, .end_ns = 1000, .is_in_flight = true});
  run.add(2, {.begin_ns = 10, .end_ns = 200});
  const CriticalPath path = path_of(run);
  EXPECT_EQ(path.in_flight, 2U);
  EXPECT_EQ(path.longest_in_flight_ns, 850);
  EXPECT_EQ(path.end_ns, 200);
  EXPECT_EQ(path.behind_ns(), 800);
}

// Times of a damaged recording.
TEST(CriticalPath, SumsOfTimesDoNotOverflow) {
  constexpr std::int64_t least = std::numeric_limits<std::int64_t>::min();
  constexpr std::int64_t most = std::numeric_limits<std::int64_t>::max();
  RunActivities run;
  for (const char* const name : {"rank 0", "rank 1"}) run.add_location(name, {});
  run.mark_unfollowed(run.add(0, {.begin_ns = least, .end_ns = -2}));
  run.mark_unfollowed(run.add(0, {.begin_ns = 2, .end_ns = most}));
  run.add(1, {.begin_ns = least, .end_ns = most, .is_in_flight = true});
  const CriticalPath path = path_of(run);
  EXPECT_EQ(path.ns(), most);
  EXPECT_EQ(path.run_ns(), most);
  EXPECT_EQ(path.unfollowed_ns, most);
  EXPECT_EQ(path.longest_in_flight_ns, most);
  EXPECT_EQ(profile_of(run).activities.size(), 2U);
}

TEST(CriticalPath, OfARunWithoutEndedCallsIsEmpty) {
  RunActivities run;
  EXPECT_TRUE(path_of(run).is_empty());
  run.add_location("rank 0", {});
  EXPECT_TRUE(path_of(run).is_empty());
  run.add(0, {.begin_ns = 100, .end_ns = 300, .is_in_flight = true});
  EXPECT_TRUE(path_of(run).is_empty());
  EXPECT_EQ(profile_of(run).costliest(), nullptr);
}

TEST(CriticalPath, OfCallsWithoutDurationHasNoLength) {
  RunActivities run;
  run.add_location("rank 0", {});
  run.add(0, {.begin_ns = 100, .end_ns = 100});
  const CriticalPath path = path_of(run);
  EXPECT_EQ(path.ns(), 0);
  EXPECT_EQ(path.covered(), 0);
  EXPECT_TRUE(path.is_empty());
}

// Times that no run has: each call depends on another that ends later.
TEST(CriticalPath, EndsWithAnyTimes) {
  for (unsigned seed = 1; seed <= 200; ++seed) {
    std::mt19937 random(seed);
    RunActivities run;
    for (int location = 0; location < 3; ++location) run.add_location("?", {});
    std::vector<ActivityRef> calls;
    for (int i = 0; i < 60; ++i) {
      const auto begin = static_cast<std::int64_t>(random() % 1000);
      calls.push_back(
          run.add(static_cast<std::uint32_t>(random() % 3),
                  {.begin_ns = begin, .end_ns = begin + static_cast<std::int64_t>(random() % 50)}));
      run.link({.kind = random() % 2 == 0 ? WaitKind::late_sender : WaitKind::late_receiver,
                .needs_end = random() % 2 == 0,
                .waiting = calls[random() % calls.size()],
                .cause = calls[random() % calls.size()]});
    }
    const CriticalPath path = path_of(run);
    std::int64_t sum = 0;
    for (const auto& [key, ns] : path.sums) sum += ns;
    EXPECT_EQ(sum, path.ns()) << "seed " << seed;
  }
}

// --- the profile ------------------------------------------------------------------------------------------

TEST(PathProfile, ImbalanceIsTheTimeOnThePathAboveTheMean) {
  MadeRun made(4);
  made.meet(WaitKind::startup);
  for (std::uint32_t rank = 0; rank < 4; ++rank) made.work(rank, rank == 3 ? 500 : 100, "solve");
  made.meet(WaitKind::barrier);
  const PathProfile profile = profile_of(made.run);
  const ActivityProfile* const costliest = profile.costliest();
  ASSERT_NE(costliest, nullptr);
  EXPECT_FALSE(costliest->of.is_call);
  EXPECT_EQ(made.run.region_name(costliest->of.number), "solve");
  EXPECT_EQ(costliest->path_ns, 500 * us);
  EXPECT_EQ(costliest->mean_ns, 200 * us);
  EXPECT_EQ(costliest->imbalance_ns(), 300 * us);
  EXPECT_EQ(costliest->location, 3U);
  EXPECT_EQ(costliest->location_path_ns, 500 * us);
  EXPECT_EQ(profile.locations[3], 503 * us);
  EXPECT_EQ(profile.imbalance_ns, 300 * us) << "the calls are balanced";
}

TEST(PathProfile, OfABalancedProgramHasNoImbalance) {
  MadeRun made(4);
  made.meet(WaitKind::startup);
  for (int round = 0; round < 5; ++round) {
    for (std::uint32_t rank = 0; rank < 4; ++rank) made.work(rank, 100, "solve");
    made.meet(WaitKind::n_to_n);
  }
  const PathProfile profile = profile_of(made.run);
  EXPECT_EQ(profile.imbalance_ns, 0);
  ASSERT_FALSE(profile.activities.empty());
  EXPECT_EQ(profile.activities[0].mean_ns, profile.activities[0].path_ns);
}

// Each rank is the last in turn: all compute as long as the mean over the run, and yet the path has more.
TEST(PathProfile, FindsImbalanceThatAveragesOutOverTheRun) {
  MadeRun made(4);
  made.meet(WaitKind::startup);
  for (std::uint32_t round = 0; round < 8; ++round) {
    for (std::uint32_t rank = 0; rank < 4; ++rank) made.work(rank, rank == round % 4 ? 400 : 100, "solve");
    made.meet(WaitKind::n_to_n);
  }
  const PathProfile profile = profile_of(made.run);
  const ActivityProfile* const costliest = profile.costliest();
  EXPECT_EQ(costliest->path_ns, 8 * 400 * us);
  EXPECT_EQ(costliest->mean_ns, 2 * (400 + 3 * 100) * us);
  EXPECT_EQ(costliest->location_excess_ns, 0) << "no rank is responsible";
}

// Rank 2 computes at the end, like the others; but rank 0 has computed more than they have.
TEST(PathProfile, NamesTheLocationThatHasMoreThanTheMeanRatherThanThatWithMostOfThePath) {
  MadeRun made(3);
  made.meet(WaitKind::startup);
  made.work(0, 400).meet(WaitKind::barrier);
  made.work(0, 1000).work(1, 1000).work(2, 1001).meet(WaitKind::barrier);
  const PathProfile profile = profile_of(made.run);
  const ActivityProfile* const costliest = profile.costliest();
  EXPECT_EQ(costliest->location, 0U);
  EXPECT_EQ(costliest->location_path_ns, 400 * us);
  EXPECT_NEAR(costliest->location_excess_ns, (400 - 401 / 3.) * us, us);
}

TEST(PathProfile, ComparesOnlyTheTimeThatThePathCovers) {
  RunActivities run;
  for (const char* const name : {"rank 0", "rank 1"}) run.add_location(name, {});
  run.add(0, {.begin_ns = 0, .end_ns = 10});
  run.add(0, {.begin_ns = 600, .end_ns = 700, .follows_gap = true});
  run.add(0, {.begin_ns = 900, .end_ns = 1000});
  run.add(1, {.begin_ns = 0, .end_ns = 10});
  run.add(1, {.begin_ns = 500, .end_ns = 640});
  run.add(1, {.begin_ns = 740, .end_ns = 750, .follows_gap = true});
  const PathProfile profile = profile_of(run);
  ASSERT_EQ(profile.activities.size(), 2U);
  for (const ActivityProfile& activity : profile.activities) {
    EXPECT_EQ(activity.path_ns, 200);
    EXPECT_EQ(activity.mean_ns, activity.of.is_call ? (200 + 40 + 10) / 2. : 100);
  }
  EXPECT_EQ(profile.unknown_ns, 100) << "from 640 to 740";
}

}  // namespace
}  // namespace eventspace
