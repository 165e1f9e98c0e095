// Random metrics over a program that runs on 1, 3 and 9 nodes. The results of servers, which are polled or
// push, and some of which are killed, are compared with a naive interpreter over all events.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <signal.h>

#include <bit>
#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <memory>
#include <optional>
#include <random>
#include <set>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "collectors/event_record.h"
#include "collectors/probe_record.h"
#include "monitors/metrics/divided_metrics.h"
#include "pathmaps/pathmap.h"
#include "pathmaps/questions/question_scope.h"
#include "pathmaps/sessions/consumer.h"
#include "scopes/metrics/events/timed_events.h"
#include "scopes/metrics/measured_metric.h"
#include "scopes/metrics/metric_library.h"
#include "tests/monitors/workplace.h"
#include "tests/scopes/metrics/distribution/compared_values.h"
#include "tests/scopes/metrics/distribution/random_metric.h"

namespace eventspace {
namespace {

using namespace std::chrono_literals;
using metrics::Definition;
using metrics::Measurement;
using test::NaiveEvaluation;
using testing_commands::Call;
using testing_commands::eventually;

constexpr int processes = 5;
constexpr int pieces = 5;
constexpr int metrics_at_once = 12;
// The interpreter converts clocks at other moments, so times differ by nanoseconds.
constexpr double room = 1e-4;

std::int64_t now_ns() {
  return std::chrono::duration_cast<std::chrono::nanoseconds>(
             std::chrono::steady_clock::now().time_since_epoch())
      .count();
}

Definition definition_of(const std::string& text) {
  metrics::MetricLibrary library = metrics::MetricLibrary::shipped();
  const auto faults = library.add(text);
  if (!faults.empty()) throw std::runtime_error(faults[0].text);
  return metrics::define(library.metrics(), library.find("M").value());
}

/// The metrics of a seed.
struct Chosen {
  std::vector<std::string> texts;
  std::vector<Definition> definitions;

  explicit Chosen(std::uint64_t seed) {
    for (int i = 0; i < metrics_at_once; ++i) {
      texts.push_back(
          test::RandomMetric(seed * metrics_at_once + static_cast<std::uint64_t>(i)).exact().text());
      definitions.push_back(definition_of(texts.back()));
    }
  }
};

/// All events, in the form for the interpreter.
class AllEvents {
 public:
  AllEvents(Consumer& consumer, ScopeTree tree)
      : names_(consumer.names()), scope_(consumer.open(std::move(tree))), events_(names_) {
    run.processes = processes;
  }

  /// Whether all servers answered.
  bool pull() {
    const View view = scope_.pull({.deadline = Deadline::after(20s)});
    lost += view.loss.discarded + view.loss.torn;
    std::vector<metrics::TimedEvents::Event> events;
    events_.begin(view);
    events_.for_each(
        view.records.whole(), [](std::span<const TraceTuple>) { return std::size_t{0}; },
        [](const TraceTuple&) { return true; }, [](const auto&, auto) { return false; },
        [&events](const metrics::TimedEvents::Event& event) { events.push_back(event); });
    metrics::sort_by_ends(events);
    for (const auto& event : events) take(event);
    return view.missing.empty();
  }

  NaiveEvaluation::Run run;
  std::uint64_t lost{0};

 private:
  static double seconds(const ProcessReport& process, std::uint64_t ticks) {
    return static_cast<double>(process.here(ticks).ns) / 1e9;
  }
  void take(const metrics::TimedEvents::Event& event) {
    const TraceTuple& record = *event.last;
    const auto process = static_cast<std::uint32_t>(
        std::stoul(std::string(names_.process_name(event.process->process).substr(1))));
    const double end = seconds(*event.process, record.words[4]);
    if (header_of(record).kind == probe_kind) {
      run.passages.push_back({process, end, std::string(names_.probe_name(probe_name_of(record))),
                              static_cast<std::int64_t>(record.words[7]),
                              std::bit_cast<double>(record.words[5])});
    } else {
      const EventRecord operation = decode(record);
      run.sends.push_back(
          {process, seconds(*event.process, operation.start), end, static_cast<double>(operation.bytes)});
    }
  }

  const PlanNames& names_;
  EventScope scope_;
  metrics::TimedEvents events_;
};

/// The metrics, measured through servers; `look`: the interval at which they push; 0: they are polled.
class Measured {
 public:
  Measured(Consumer& consumer, const std::filesystem::path& pathmap,
           const std::vector<Definition>& definitions, std::chrono::nanoseconds look)
      : look_(look),
        divided_(definitions, std::vector<metrics::MeasurementChoice>(definitions.size()), false),
        values_(definitions.size()) {
    AskedScope asked{.name = "events"};
    asked.question.where = condition_for(definitions);
    asked.finish = [&](ScopeTree& tree) {
      tree.since = 0ns;
      tree.look = look;
      divided_.put_on(tree, asked.question.where);
    };
    scope_.emplace(consumer.open(asked_scope(pathmap, consumer.plan(), asked)));
    for (const Definition& front_end : divided_.front_ends()) {
      measurements_.push_back(
          std::make_unique<Measurement>(front_end, metrics::MeasurementChoice{}, consumer.names()));
      measurements_.back()->start(now_ns());
    }
  }

  /// Whether all servers answered and all processes are known.
  bool pull() {
    const View view =
        scope_->pull({.deadline = Deadline::after(look_ > 0ns ? 50ms : 20s), .with_in_flight = true});
    std::vector<Measurement*> all;
    for (const auto& measurement : measurements_) {
      measurement->take(view);
      all.push_back(measurement.get());
    }
    EXPECT_EQ(divided_.deliver(view, all), 0U);
    for (std::size_t i = 0; i < all.size(); ++i) test::add_to(values_[i], all[i]->read(now_ns()));
    for (const ProcessReport& report : view.processes) seen_.insert(report.process);
    return view.missing.empty() && seen_.size() == processes;
  }
  [[nodiscard]] const NaiveEvaluation::Values& values(std::size_t metric) const { return values_[metric]; }
  /// Whether `measure` would report that values are incomplete.
  [[nodiscard]] bool is_incomplete(std::size_t metric) const {
    const Measurement& measurement = *measurements_[metric];
    return measurement.lost() > 0 || measurement.restarts() > 0;
  }

 private:
  std::chrono::nanoseconds look_;
  DividedMetrics divided_;
  std::optional<EventScope> scope_;
  std::vector<std::unique_ptr<Measurement>> measurements_;
  std::vector<NaiveEvaluation::Values> values_;
  std::set<std::uint32_t> seen_;
};

class RealServers : public testing_commands::Workplace {
 protected:
  std::filesystem::path pathmap(int nodes) const {
    std::string cluster, threads, placed;
    for (int i = 0; i < nodes; ++i) cluster += fmt::format("{}n{}: {{}}", i == 0 ? "" : ", ", i);
    for (int i = 0; i < processes; ++i) {
      threads += fmt::format("{}t{}", i == 0 ? "" : ", ", i);
      placed += fmt::format("    p{0}: {{node: n{1}, threads: [t{0}]}}\n", i, i % nodes);
    }
    return write(
        fmt::format("nodes{}.yaml", nodes),
        fmt::format("pathmap: 1\nname: metrics{0}\ncluster: {{nodes: {{{1}}}}}\n"
                    "application:\n"
                    "  threads: [{2}]\n"
                    "  elements: [{{name: \"log/{{thread}}\", for: \"*\", tuple: [text], threshold: 10, "
                    "when_full: discard}}]\n"
                    "  paths: [{{thread: \"*\", name: log, element: \"log/{{thread}}\", use: write}}]\n"
                    "placement:\n  processes:\n{3}"
                    "  elements: [{{elements: \"log/**\", with: writer}}]\n"
                    "collect: {{points: [{{at: thread, threshold: 1000}}]}}\n",
                    nodes, cluster, threads, placed));
  }

  /// Starts all processes, and measures the metrics of the seed while the program runs.
  void measure(int nodes, std::uint64_t seed, bool are_killed) {
    const Chosen chosen(seed);
    const auto file = pathmap(nodes);
    start_servers_of(file);
    const auto pieces_of = this->file(fmt::format("pieces-{}-{}-{}", nodes, seed, are_killed));
    std::filesystem::create_directory(pieces_of);
    Call application = start({"run", file, "--", METRIC_APP, std::to_string(seed), pieces_of});
    for (int i = 0; i < processes; ++i)
      ASSERT_TRUE(application.says(fmt::format("ready p{}", i))) << application.err();
    {
      Consumer consumer(file);
      AskedScope asked{.name = "events"};
      asked.question.where = condition_for(chosen.definitions);
      AllEvents all(consumer, asked_scope(file, consumer.plan(), asked));
      Measured pulled(consumer, file, chosen.definitions, 0ns);
      Measured pushed(consumer, file, chosen.definitions, 5ms);
      ASSERT_TRUE(eventually([&] { return all.pull(); }));
      ASSERT_TRUE(eventually([&] { return pulled.pull(); }));
      ASSERT_TRUE(eventually([&] { return pushed.pull(); }));
      std::mt19937_64 random(seed);
      for (int piece = 1; piece <= pieces; ++piece) {
        std::ofstream(pieces_of / fmt::format("piece{}", piece)).flush();
        for (int i = 0; i < processes; ++i)
          ASSERT_TRUE(application.says(fmt::format("p{} done {}\n", i, piece))) << application.err();
        if (are_killed && piece < pieces && random() % 2 == 0) kill_a_server(file, random);
        ASSERT_TRUE(eventually([&] { return all.pull(); }));
        ASSERT_TRUE(eventually([&] { return pulled.pull(); }));
        (void)pushed.pull();
      }
      EXPECT_EQ(all.lost, 0U);
      expect_the_same(chosen, all.run, pulled, "pulled");
      expect_the_same(chosen, all.run, pushed, "pushed");
    }
    application.signal(SIGTERM);
    application.status();
    call({"down", file});
  }

 private:
  void kill_a_server(const std::filesystem::path& file, std::mt19937_64& random) {
    const auto servers = processes_with("serve");
    ASSERT_FALSE(servers.empty());
    ::kill(servers[random() % servers.size()], SIGKILL);
    ASSERT_TRUE(eventually([&] { return call({"up", file}).status() == 0; }));
  }

  static void expect_the_same(const Chosen& chosen, const NaiveEvaluation::Run& run, Measured& measured,
                              const char* how) {
    const double now_s = static_cast<double>(now_ns()) / 1e9;
    for (std::size_t i = 0; i < chosen.definitions.size(); ++i) {
      const Definition& definition = chosen.definitions[i];
      const auto naive = NaiveEvaluation(definition, run, now_s).all();
      // Counts are complete also after a restart. For probes, the server has forgotten earlier passages.
      const bool may_differ = measured.is_incomplete(i) && !definition.samplers.empty();
      const bool is_same = may_differ || eventually(
                                             [&] {
                                               if (test::differences(naive, measured.values(i), room).empty())
                                                 return true;
                                               (void)measured.pull();
                                               return false;
                                             },
                                             20s);
      EXPECT_TRUE(is_same) << how << ": " << chosen.texts[i] << '\n'
                           << test::differences(naive, measured.values(i), room);
    }
  }
};

std::uint64_t number_of(const char* variable, std::uint64_t otherwise) {
  const char* const given = std::getenv(variable);
  return given == nullptr ? otherwise : std::strtoull(given, nullptr, 10);
}
std::uint64_t first_seed() { return number_of("EVENTSPACE_METRIC_SEED", 1); }

TEST_F(RealServers, SayWhatTheDefinitionSaysOfAllEvents) {
  for (const int nodes : {1, 3, 9}) {
    SCOPED_TRACE(fmt::format("{} nodes, EVENTSPACE_METRIC_SEED={}", nodes, first_seed()));
    measure(nodes, first_seed(), false);
  }
}

TEST_F(RealServers, SayTheSameOrThatItIsIncompleteIfTheyAreKilledAndRestarted) {
  SCOPED_TRACE(fmt::format("EVENTSPACE_METRIC_SEED={}", first_seed()));
  measure(3, first_seed(), true);
}

TEST_F(RealServers, SayTheSameForManySeeds) {
  const std::uint64_t seeds = number_of("EVENTSPACE_METRIC_RUNS", 20);
  for (std::uint64_t seed = first_seed() + 1; seed <= first_seed() + seeds && !HasFailure(); ++seed) {
    for (const int nodes : {1, 3, 9}) {
      SCOPED_TRACE(fmt::format("{} nodes, EVENTSPACE_METRIC_SEED={}", nodes, seed));
      measure(nodes, seed, seed % 2 == 0);
    }
  }
}

}  // namespace
}  // namespace eventspace
