// Random metrics, evaluated over the events of random runs: by a naive interpreter, by the evaluation in one
// place, and by 1, 3 and 9 servers. Some servers are killed, and some of their views are lost.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <cstdlib>
#include <optional>

#include "tests/scopes/metrics/distribution/compared_values.h"
#include "tests/scopes/metrics/distribution/divided_run.h"
#include "tests/scopes/metrics/distribution/naive_evaluation.h"
#include "tests/scopes/metrics/distribution/random_metric.h"

namespace eventspace::metrics {
namespace {

using test::DividedRun;
using test::NaiveEvaluation;
using test::ObservedRun;

constexpr std::uint32_t processes = 5;
constexpr int readings = 6;
constexpr double start_ms = 1.0;

/// A run in pieces, one for each reading. Each process sends, and passes `begin` and `end` in virtual times,
/// some of which it leaves out.
class RandomRun {
 public:
  explicit RandomRun(std::uint64_t seed) : random_(seed) {
    naive.start_s = start_ms / 1e3;
    naive.processes = processes;
  }

  /// The events until the next reading.
  View piece() {
    double end = now_ms_;
    for (std::uint32_t process = 0; process < processes; ++process) end = std::max(end, act(process));
    now_ms_ = std::ceil(end) + 1;
    return run.view();
  }
  [[nodiscard]] double now_ms() const { return now_ms_; }

  ObservedRun run;
  NaiveEvaluation::Run naive;

 private:
  std::uint32_t below(std::uint32_t end) { return static_cast<std::uint32_t>(random_() % end); }
  /// Whole microseconds, so that the naive interpreter and clocks agree.
  static double ms(double us) { return std::round(us) / 1000.0; }
  /// The same time as in the run.
  static double seconds(double us) { return static_cast<double>(ObservedRun::ns(ms(us))) / 1e9; }

  double act(std::uint32_t process) {
    double us = now_ms_ * 1000.0;
    const std::uint32_t steps = below(4);
    send(process, us);
    for (std::uint32_t i = 0; i < steps; ++i) {
      step_[process] += 1 + (below(5) == 0 ? 1 : 0);
      const bool both = below(8) != 0;
      if (both) pass(process, us += 100, "begin");
      if (below(2) == 0) send(process, us);
      pass(process, us += 100, "end");
      if (below(3) == 0) send(process, us);
    }
    return us / 1000.0;
  }

  void send(std::uint32_t process, double& us) {
    const double begin = us + below(50);
    us = begin + 1 + below(400);
    const std::uint32_t bytes = below(1000);
    run.write(process, ms(begin), ms(us), bytes);
    naive.sends.push_back({process, seconds(begin), seconds(us), static_cast<double>(bytes)});
  }

  void pass(std::uint32_t process, double us, const std::string& probe) {
    const auto value = static_cast<double>(below(100));
    run.pass(process, ms(us), probe, static_cast<std::uint64_t>(step_[process]), value);
    naive.passages.push_back({process, seconds(us), probe, step_[process], value});
  }

  std::mt19937_64 random_;
  double now_ms_{start_ms};
  std::array<std::int64_t, processes> step_{};
};

/// The events of a run, in views for which the trace elements of a process were read at different moments:
/// one for its passages and one for its sends.
class TornViews {
 public:
  TornViews(RandomRun& run, std::uint64_t seed) : random_(seed) {
    for (int i = 0; i < readings; ++i) all_.append(run.piece());
    end_ = static_cast<std::uint64_t>(ObservedRun::ns(run.now_ms()));
    for (Reader& reader : readers_) reader.passages = reader.sends = begin_;
  }

  /// Nothing means that there are no more views.
  std::optional<View> next() {
    if (is_over_) return std::nullopt;
    const std::uint64_t step = (end_ - begin_) / 6;
    View view;
    for (std::uint32_t process = 0; process < processes; ++process) {
      Reader& reader = readers_[process];
      const Reader before = reader;
      const std::uint64_t first = std::max(before.passages, before.sends) + random_() % step;
      const std::uint64_t second = first + random_() % step;
      reader = random_() % 2 == 0 ? Reader{first, second} : Reader{second, first};
      for (const TraceTuple& record : all_.records) {
        if (header_of(record).path != 10 * process) continue;
        const bool is_passage = header_of(record).kind == probe_kind;
        const std::uint64_t from = is_passage ? before.passages : before.sends;
        const std::uint64_t until = is_passage ? reader.passages : reader.sends;
        if (record.words[4] > from && record.words[4] <= until) view.records.push_back(record);
      }
      add_report(process, first, view);
    }
    is_over_ = std::ranges::all_of(
        readers_, [this](const Reader& reader) { return std::min(reader.passages, reader.sends) >= end_; });
    return view;
  }

 private:
  struct Reader {
    std::uint64_t passages{0};
    std::uint64_t sends{0};
  };

  void add_report(std::uint32_t process, std::uint64_t complete, View& view) const {
    ProcessReport report;
    report.process = process;
    report.clock.ns_per_tick = 1.0;
    report.complete_ticks = complete;
    view.processes.push_back(report);
  }

  std::mt19937_64 random_;
  View all_;
  const std::uint64_t begin_{static_cast<std::uint64_t>(ObservedRun::ns(start_ms)) - 1};
  std::uint64_t end_{0};
  std::array<Reader, processes> readers_{};
  bool is_over_{false};
};

Definition definition_of(const std::string& text) { return test::defined("M", text); }

std::vector<std::string> texts(const std::vector<MetricValue>& values) {
  std::vector<std::string> all;
  for (const auto& value : values) all.push_back(test::exactly(value));
  return all;
}

void expect_near(const NaiveEvaluation::Values& naive, const NaiveEvaluation::Values& values) {
  EXPECT_EQ(test::differences(naive, values), "");
}

std::uint64_t first_seed() {
  const char* const given = std::getenv("EVENTSPACE_METRIC_SEED");
  return given == nullptr ? 1 : std::strtoull(given, nullptr, 10);
}
std::uint64_t seeds() {
  const char* const given = std::getenv("EVENTSPACE_METRIC_RUNS");
  return given == nullptr ? 100 : std::strtoull(given, nullptr, 10);
}

template <class Check>
void for_each_seed(const Check& check) {
  for (std::uint64_t seed = first_seed(); seed < first_seed() + seeds(); ++seed) {
    const std::string text = test::RandomMetric(seed).text();
    SCOPED_TRACE(fmt::format("EVENTSPACE_METRIC_SEED={}: {}", seed, text));
    check(seed, definition_of(text));
    if (testing::Test::HasFailure()) return;  // the first failure is enough
  }
}

TEST(DifferentialTest, OnePlaceSaysWhatTheDefinitionSays) {
  for_each_seed([](std::uint64_t seed, const Definition& definition) {
    RandomRun run(seed);
    Measurement measurement(definition, {}, run.run.names);
    measurement.start(ObservedRun::ns(start_ms));
    NaiveEvaluation::Values values;
    for (int i = 0; i < readings; ++i) {
      measurement.take(run.piece());
      test::add_to(values, measurement.read(ObservedRun::ns(run.now_ms())));
    }
    expect_near(NaiveEvaluation(definition, run.naive, run.now_ms() / 1e3).all(), values);
  });
}

TEST(DifferentialTest, ValuesDoNotDependOnWhenEachTraceElementIsRead) {
  for_each_seed([](std::uint64_t seed, const Definition& definition) {
    RandomRun run(seed);
    TornViews views(run, seed);
    Measurement central(definition, {}, run.run.names);
    central.start(ObservedRun::ns(start_ms));
    DividedRun divided(definition, {}, 3, ObservedRun::ns(start_ms), run.run.names);
    const std::int64_t now_ns = ObservedRun::ns(run.now_ms());
    NaiveEvaluation::Values in_one_place;
    NaiveEvaluation::Values at_servers;
    while (const auto view = views.next()) {
      central.take(*view);
      test::add_to(in_one_place, central.read(now_ns));
      divided.add(*view);
      divided.pull([](std::size_t) { return true; });
      test::add_to(at_servers, divided.measurement().read(now_ns));
    }
    const auto naive = NaiveEvaluation(definition, run.naive, run.now_ms() / 1e3).all();
    expect_near(naive, in_one_place);
    expect_near(naive, at_servers);
  });
}

TEST(DifferentialTest, ServersSayTheSameAtEachReading) {
  for_each_seed([](std::uint64_t seed, const Definition& definition) {
    for (const Span span : {Span::since_start, Span::since_last}) {
      const MeasurementChoice choice{.span = span};
      RandomRun run(seed);
      Measurement central(definition, choice, run.run.names);
      central.start(ObservedRun::ns(start_ms));
      std::vector<std::unique_ptr<DividedRun>> divided;
      for (const std::size_t servers : {1, 3, 9}) {
        for (const bool is_subscription : {false, true})
          divided.push_back(std::make_unique<DividedRun>(
              definition, choice, servers, ObservedRun::ns(start_ms), run.run.names, is_subscription));
      }
      for (int i = 0; i < readings; ++i) {
        const View view = run.piece();
        central.take(view);
        const auto expected = texts(central.read(ObservedRun::ns(run.now_ms())));
        for (const auto& each : divided) {
          each->add(view);
          each->pull([](std::size_t) { return true; });
          EXPECT_EQ(texts(each->measurement().read(ObservedRun::ns(run.now_ms()))), expected)
              << each->servers().size() << " servers, reading " << i;
          EXPECT_EQ(each->records(), 0U);
        }
      }
    }
  });
}

// Requesters of one part, with other objects in part: each gets the same as alone.
TEST(DifferentialTest, MetricsThatShareWhatServersEvaluateSayTheSameAsAlone) {
  for_each_seed([](std::uint64_t seed, const Definition& /*any*/) {
    // The order in which times are added up depends on the other metrics that need them.
    const auto exact = [](std::uint64_t of) { return definition_of(test::RandomMetric(of).exact().text()); };
    const std::vector<Definition> all{exact(seed), exact(seed + 10'000), exact(seed + 20'000), exact(seed)};
    const std::vector<MeasurementChoice> choices{
        {}, {.span = Span::since_last}, {}, {.objects = {{0, "p[1-3]"}}}};
    RandomRun run(seed);
    DividedRun together(all, choices, 3, ObservedRun::ns(start_ms), run.run.names);
    EXPECT_EQ(together.shared().parts().size(), 1U);
    std::vector<std::unique_ptr<DividedRun>> alone;
    for (std::size_t i = 0; i < all.size(); ++i)
      alone.push_back(
          std::make_unique<DividedRun>(all[i], choices[i], 3, ObservedRun::ns(start_ms), run.run.names));
    for (int reading = 0; reading < readings; ++reading) {
      const View view = run.piece();
      together.add(view);
      together.pull([](std::size_t) { return true; });
      for (std::size_t i = 0; i < all.size(); ++i) {
        alone[i]->add(view);
        alone[i]->pull([](std::size_t) { return true; });
        const std::int64_t now_ns = ObservedRun::ns(run.now_ms());
        EXPECT_EQ(texts(together.measurement(i).read(now_ns)), texts(alone[i]->measurement().read(now_ns)))
            << "metric " << i << ", reading " << reading;
      }
    }
  });
}

TEST(DifferentialTest, LostViewsAndKilledServersChangeNothingOrAreSaid) {
  for_each_seed([](std::uint64_t seed, const Definition& definition) {
    for (const bool are_killed : {false, true}) {
      RandomRun run(seed);
      std::mt19937_64 random(seed);
      Measurement central(definition, {}, run.run.names);
      central.start(ObservedRun::ns(start_ms));
      DividedRun divided(definition, {}, 3, ObservedRun::ns(start_ms), run.run.names);
      NaiveEvaluation::Values expected;
      NaiveEvaluation::Values values;
      for (int i = 0; i <= readings; ++i) {
        const View view = run.piece();
        central.take(view);
        test::add_to(expected, central.read(ObservedRun::ns(run.now_ms())));
        divided.add(view);
        const bool is_within = i > 0 && i < readings;  // all processes are known from the first reading on
        if (are_killed && is_within && random() % 3 == 0) divided.servers()[random() % 3].start();
        divided.pull([&](std::size_t) { return !is_within || random() % 3 != 0; });
        test::add_to(values, divided.measurement().read(ObservedRun::ns(run.now_ms())));
      }
      // Counts are complete in this case, too.
      if (divided.measurement().restarts() == 0 || definition.samplers.empty()) expect_near(expected, values);
    }
  });
}

}  // namespace
}  // namespace eventspace::metrics
