#include "scopes/metrics/evaluation/event_pass.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>
#include <random>
#include <string>
#include <vector>

#include "tests/scopes/metrics/distribution/divided_run.h"

namespace eventspace::metrics {
namespace {

using test::ObservedRun;

constexpr std::uint32_t passing_processes = 3;

/// Metrics that need numbers, bytes, calls and times of events, more than their class, and values at probes.
std::vector<Definition> definitions(bool with_conditions) {
  std::vector<std::pair<std::string, std::string>> values{{"Bytes", "Send_volume(p, t)"},
                                                          {"Sends", "Send_count(p, t)"},
                                                          {"Times", "Send_delay(p, t)"},
                                                          {"Calls", "Call_count(p, t)"},
                                                          {"Read", "File_read_volume(p, t)"}};
  // This metric needs to read each event, so that none can be summed.
  if (with_conditions) values.emplace_back("Large", "Event_count(p, \"bytes > 500\", t)");
  std::vector<Definition> made;
  for (const auto& [name, value] : values)
    made.push_back(
        test::defined(name, fmt::format("{}(Process p, TimeInterval t) {{ RETURN {}; }}", name, value)));
  made.push_back(test::defined("Mean_iteration_time"));
  return made;
}

/// Runs of writes of two threads, MPI calls and passages for each process, in the order of their ends. The
/// first events began before the measurement.
View random_view(ObservedRun& run, std::uint64_t seed, int runs) {
  std::mt19937_64 random(seed);
  const auto below = [&](std::uint32_t end) { return static_cast<std::uint32_t>(random() % end); };
  for (std::uint32_t process = 0; process < passing_processes; ++process) {
    double ms = 0.1;
    std::uint64_t step = 0;
    for (int i = 0; i < runs; ++i) {
      const std::uint32_t kind = below(8);
      const std::uint32_t thread = below(2);
      for (std::uint32_t left = 1 + below(kind < 5 ? 40 : 3); left > 0; --left) {
        const double begin = ms;
        ms += 0.001 * (1 + below(20));
        if (kind < 5) run.write(process, begin, ms, below(1000), thread);
        if (kind == 5) run.look(process, begin, ms, below(9));
        if (kind == 6) run.use_file(process, begin, ms, MpiClass::input, below(5000));
        if (kind == 7) run.pass(process, ms, "iteration_end", ++step);
      }
    }
  }
  return run.view(1000);
}

/// All values of all metrics, with all their digits.
std::vector<std::string> read(const std::vector<std::unique_ptr<Measurement>>& all) {
  std::vector<std::string> texts;
  for (const auto& each : all) {
    for (const auto& value : each->read(ObservedRun::ns(1000)))
      texts.push_back(each->definition().name + " " + test::exactly(value));
  }
  return texts;
}

class EventPassTest : public testing::Test {
 protected:
  std::vector<std::unique_ptr<Measurement>> measurements(bool with_conditions) {
    std::vector<std::unique_ptr<Measurement>> made;
    for (const Definition& definition : definitions(with_conditions)) {
      made.push_back(std::make_unique<Measurement>(definition, MeasurementChoice{}, run.names));
      made.back()->start(ObservedRun::ns(1));
    }
    return made;
  }

  ObservedRun run;
};

// A view has several pieces, and more virtual times than are computed together.
TEST_F(EventPassTest, ManyEventsCountAsIfEachCameAlone) {
  for (const std::uint64_t seed : {1, 2, 3, 4}) {
    const bool with_conditions = seed % 2 == 0;
    const View view = random_view(run, seed, 600);
    ASSERT_GT(view.records.size(), 20000U);
    const auto together = measurements(with_conditions);
    std::vector<Measurement*> all;
    for (const auto& each : together) all.push_back(each.get());
    Measurement::Together(all, run.names).take(view);
    const auto alone = measurements(with_conditions);
    for (const TraceTuple& record : view.records) {
      View one;
      one.processes = view.processes;
      one.records.push_back(record);
      for (const auto& each : alone) each->take(one);
    }
    const auto expected = read(alone);
    EXPECT_EQ(expected.size(), (with_conditions ? 7U : 6U) * passing_processes);
    EXPECT_EQ(read(together), expected) << "seed " << seed;
  }
}

TEST_F(EventPassTest, SumsUpEventsOfWhichNothingElseIsAsked) {
  const View view = random_view(run, 5, 150);
  const Definition bytes = test::defined("B", "B(Process p, TimeInterval t) { RETURN Send_volume(p, t); }");
  const Definition sends = test::defined("C", "C(Process p, TimeInterval t) { RETURN Send_count(p, t); }");
  EventHistory history_of_bytes(bytes, run.names);
  EventHistory history_of_sends(sends, run.names);
  const Moments moments{ObservedRun::ns(0), ObservedRun::ns(0), ObservedRun::ns(0)};
  EventPass pass(run.names, {{&history_of_bytes, &moments}, {&history_of_sends, &moments}});
  std::size_t used = 0;
  for (int i = 0; i < 2; ++i) {
    pass.for_each(
        view, [](std::span<const TraceTuple>) {}, [&](const TimedEvents::Event&) { ++used; });
    EXPECT_GT(pass.needed(), 1000U);
  }
  EXPECT_EQ(used, 0U) << "no event needs a look of its own";
}

TEST_F(EventPassTest, EachRecordIsLookedAtOnceBeforeItsEventIsTaken) {
  const View view = random_view(run, 4, 150);
  const Definition definition = test::defined("Loop_Counter");
  EventHistory history(definition, run.names);
  const Moments moments{ObservedRun::ns(1), ObservedRun::ns(1), ObservedRun::ns(1)};
  EventPass pass(run.names, {{&history, &moments}});
  std::size_t looked = 0;
  std::size_t events = 0;
  pass.for_each(
      view, [&](std::span<const TraceTuple> records) { looked += records.size(); },
      [&](const TimedEvents::Event& event) {
        EXPECT_LT(event.last, view.records.begin() + looked);
        ++events;
      });
  EXPECT_EQ(looked, view.records.size());
  EXPECT_GT(events, 0U);
  EXPECT_EQ(pass.needed(), events) << "passages, and nothing else";
}

}  // namespace
}  // namespace eventspace::metrics
