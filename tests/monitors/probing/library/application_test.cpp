#include <gmock/gmock.h>

#include <atomic>
#include <mutex>

#include <eventspace/error.h>
#include <eventspace/probing.h>
#include "collectors/clock.h"
#include "monitors/probing/probes/process_probes.h"
#include "tests/monitors/probing/hot_program.h"
#include "tests/monitors/probing/process_traces.h"

#ifdef EVENTSPACE_HAS_ZYDIS

// Probes in running programs, as objects of a user's program.

namespace eventspace::probing {
namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::Field;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;
using testing_probing::eventually;
using testing_probing::HotProgram;
using testing_probing::Target;
using testing_probing::traces_of;

std::vector<std::int32_t> pids_of(const Group& group) {
  std::vector<std::int32_t> pids;
  for (const Process& process : group.processes()) pids.push_back(process.pid);
  return pids;
}

/// A program, and an Application for it.
class ProbedApplication : public HotProgram {
 protected:
  void SetUp() override {
    ASSERT_TRUE(has_new_rounds(1));
    before_ = traces_of(target_.pid());
  }
  void TearDown() override {
    application_.reset();
    EXPECT_EQ(traces_of(target_.pid()), before_);
    EXPECT_TRUE(has_new_rounds(1));
    expect_right_end();
  }
  [[nodiscard]] Group group() const { return Group::of_pids({target_.pid()}); }
  [[nodiscard]] Probe probe_at(const std::string& function) const {
    for (const Probe& probe : application_->probes())
      if (probe.function() == function) return probe;
    throw EnvironmentError("no probe at " + function);
  }
  static bool counts(const Probe& probe) {
    const std::uint64_t calls = probe.read().calls;
    return eventually([&] { return probe.read().calls > calls; });
  }
  /// Whether the probe's count is unchanged while the other one is passed many times.
  static bool stands_still(const Probe& probe, const Probe& other) {
    const std::uint64_t calls = probe.read().calls;
    const std::uint64_t others = other.read().calls;
    return eventually([&] { return other.read().calls > others + 1000; }) && probe.read().calls == calls;
  }

  std::unique_ptr<Application> application_ = std::make_unique<Application>(group());

 private:
  std::vector<std::string> before_;
};

TEST_F(ProbedApplication, HasProbesAtTheCallsByOneFunction) {
  const Outcome outcome = application_->install(
      {.functions = "hot_throwing", .modules = "hot_app", .has_times = true, .calls_from = "hot_catching"});
  EXPECT_EQ(outcome.done, 1U);
  ASSERT_THAT(application_->probes(), SizeIs(1));
  const Probe call = application_->probes().front();
  EXPECT_THAT(call.function(), testing::StartsWith("hot_throwing from hot_catching+0x"));
  ASSERT_TRUE(counts(call));
  EXPECT_TRUE(eventually([&] { return call.read().measured > 0; }));
  // The function itself can be probed, too.
  ASSERT_EQ(application_->install({.functions = "=hot_throwing", .modules = "hot_app"}).done, 1U);
  EXPECT_EQ(call.switch_off().probes, 1U);
  EXPECT_TRUE(stands_still(call, probe_at("hot_throwing")));
  EXPECT_EQ(call.switch_on().probes, 1U);
  EXPECT_TRUE(counts(call));
}

TEST_F(ProbedApplication, SwitchesSingleProbesAndKeepsTheOthers) {
  const Outcome outcome =
      application_->install({.functions = "hot_{real,mix,recursive}", .modules = "hot_app"});
  EXPECT_EQ(outcome.processes, 1U);
  EXPECT_EQ(outcome.done, 1U);
  EXPECT_EQ(outcome.probes, 3U);
  EXPECT_THAT(application_->probes(), SizeIs(3));
  const Probe real = probe_at("hot_real");
  const Probe mix = probe_at("hot_mix");
  EXPECT_TRUE(counts(real));
  EXPECT_EQ(real.switch_off().probes, 1U);
  EXPECT_TRUE(stands_still(real, mix));
  EXPECT_EQ(real.switch_off().done, 1U) << "it is off already";
  EXPECT_EQ(real.switch_on().probes, 1U);
  EXPECT_TRUE(counts(real));
  EXPECT_EQ(real.remove().probes, 1U);
  EXPECT_EQ(real.switch_on().processes, 0U) << "removed for good";
  EXPECT_TRUE(stands_still(real, mix));
  EXPECT_THAT(application_->probes(), SizeIs(2));
  EXPECT_EQ(application_->switch_off().probes, 2U);
  EXPECT_EQ(application_->switch_on().probes, 2U) << "not the one that was removed";
  EXPECT_TRUE(counts(mix));
  EXPECT_TRUE(real.read().is_there);
}

TEST_F(ProbedApplication, MeasuresWhatItIsAskedForByOrdersOneAfterTheOther) {
  if (!Clock::instance().uses_tsc()) GTEST_SKIP() << "this machine's time stamp counter is not trustworthy";
  EXPECT_EQ(application_->install({.functions = "=hot_real", .has_times = true, .values = {"int0"}}).probes,
            1U);
  EXPECT_EQ(application_->install({.functions = "=hot_mix", .every = 3}).probes, 1U);
  const Outcome again = application_->install({.functions = "=hot_mix"});
  EXPECT_EQ(again.done, 0U);
  EXPECT_THAT(again.refusals, Contains(Field(&Outcome::Refusal::reason, HasSubstr("it has a probe"))));
  const Probe real = probe_at("hot_real");
  ASSERT_TRUE(eventually([&] { return real.read().measured > 1000; }));
  const Reading reading = real.read();
  EXPECT_GT(reading.total.count(), 0);
  EXPECT_LE(reading.least, reading.greatest);
  ASSERT_THAT(reading.values, SizeIs(1));
  EXPECT_EQ(reading.values[0].greatest, 8);
  EXPECT_TRUE(eventually([&] { return probe_at("hot_mix").read().left_out > 0; }));
}

std::int64_t whole(const Reading& reading, std::size_t variable) {
  return std::get<std::int64_t>(reading.variables.at(variable).value);
}

TEST_F(ProbedApplication, HasVariablesThatItsProbesShare) {
  if (!Clock::instance().uses_tsc()) GTEST_SKIP() << "this machine's time stamp counter is not trustworthy";
  const ProbeOrder order{.functions = "=hot_real",
                         .modules = "hot_app",
                         .when = "entered > 0",
                         .phase = std::chrono::hours(1),
                         .lets = {"entered += 1 at =hot_real", "half += 0.5 at =hot_mix",
                                  "inside += 1 at =hot_catching", "inside += -1 after =hot_catching"}};
  const Outcome outcome = application_->install(order);
  EXPECT_EQ(outcome.done, 1U);
  EXPECT_EQ(outcome.probes, 3U) << "two of them for the variables only";
  ASSERT_THAT(application_->probes(), SizeIs(1)) << "those have no handle";
  const Probe real = application_->probes().front();
  ASSERT_TRUE(eventually([&] {
    const Reading now = real.read();
    return whole(now, 0) > 1000 && std::get<double>(now.variables.at(1).value) > 1000;
  }));
  const Reading reading = real.read();
  ASSERT_THAT(reading.variables, SizeIs(3));
  EXPECT_EQ(reading.variables[2].name, "inside");
  EXPECT_LE(std::abs(whole(reading, 2)), 8 + 2) << "threads, and those of a child";
  EXPECT_GE(reading.left_out + 4, reading.calls) << "in each hour one call counts, and in its child";
  EXPECT_EQ(application_->switch_off().probes, 3U);
  const std::int64_t entered = whole(real.read(), 0);
  EXPECT_TRUE(has_new_rounds(1));
  EXPECT_EQ(whole(real.read(), 0), entered) << "it is off";
  EXPECT_EQ(application_->remove().probes, 3U);
  EXPECT_EQ(whole(real.read(), 0), entered);
}

TEST_F(ProbedApplication, KeepsItsOtherProbesIfAVariableIsRefused) {
  ASSERT_EQ(application_->install({.functions = "=hot_mix", .modules = "hot_app"}).probes, 1U);
  const auto refusal = [&](const std::string& let) {
    const Outcome outcome =
        application_->install({.functions = "=hot_real", .modules = "hot_app", .lets = {let}});
    EXPECT_EQ(outcome.done, 0U);
    EXPECT_EQ(outcome.probes, 0U);
    return outcome.refusals.empty() ? std::string() : outcome.refusals.back().reason;
  };
  EXPECT_THAT(refusal("a = 1 at no_such"), HasSubstr("has no function 'no_such'"));
  EXPECT_THAT(refusal("a = 1 at =hot_mix"), HasSubstr("cannot have --set 'a = 1 at =hot_mix' at hot_mix: "));
  EXPECT_THAT(application_->probes(), SizeIs(1)) << "the probe of hot_real was taken out again";
  EXPECT_TRUE(counts(probe_at("hot_mix")));
  EXPECT_EQ(application_->install({.functions = "=hot_real", .modules = "hot_app"}).probes, 1U);
  EXPECT_TRUE(counts(probe_at("hot_real")));
  EXPECT_THROW(application_->install({.functions = "=hot_real", .lets = {"a"}}), ConfigurationError);
  EXPECT_THROW(application_->install({.functions = "=hot_real", .lets = {"a = 1 at ["}}), ConfigurationError);
  EXPECT_THROW(application_->install({.functions = "=hot_real", .phase = std::chrono::seconds(0)}),
               ConfigurationError);
}

// The memory of its probes is removed with the order: a process has room for 16.
TEST_F(ProbedApplication, LeavesNothingOfOrdersWhoseVariablesAreRefused) {
  ASSERT_EQ(application_->install({.functions = "=hot_mix", .modules = "hot_app"}).probes, 1U);
  for (int i = 0; i < 20; ++i) {
    const Outcome outcome = application_->install(
        {.functions = "=hot_real", .modules = "hot_app", .lets = {"a = 1 at =hot_mix"}});
    ASSERT_EQ(outcome.done, 0U);
    ASSERT_THAT(outcome.refusals, Contains(Field(&Outcome::Refusal::reason, HasSubstr("cannot have --set"))));
    ASSERT_THAT(testing_probing::areas_of(target_.pid()), SizeIs(1)) << "after " << i << " refusals";
  }
  EXPECT_TRUE(counts(probe_at("hot_mix")));
  EXPECT_EQ(application_->install({.functions = "=hot_real", .modules = "hot_app"}).probes, 1U);
  EXPECT_TRUE(counts(probe_at("hot_real")));
}

// A handle of the earlier probe must neither read nor change it.
TEST_F(ProbedApplication, KeepsAProbeThatIsForAVariableFromHandlesOfAnEarlierOne) {
  ASSERT_EQ(application_->install({.functions = "=hot_mix", .modules = "hot_app"}).probes, 1U);
  const Probe old = probe_at("hot_mix");
  ASSERT_TRUE(counts(old));
  ASSERT_EQ(old.remove().probes, 1U);
  const std::uint64_t calls = old.read().calls;
  ASSERT_EQ(
      application_->install({.functions = "=hot_real", .modules = "hot_app", .lets = {"a += 1 at =hot_mix"}})
          .probes,
      2U);
  EXPECT_EQ(old.switch_off().processes, 0U);
  EXPECT_EQ(old.remove().processes, 0U);
  const Probe real = probe_at("hot_real");
  const std::int64_t changes = whole(real.read(), 0);
  EXPECT_TRUE(eventually([&] { return whole(real.read(), 0) > changes + 10; })) << "it does what it did";
  EXPECT_EQ(old.read().calls, calls);
  EXPECT_THAT(old.read().variables, IsEmpty());
}

// The function already has a probe, so the one for its variable would be useless.
TEST_F(ProbedApplication, HasNoVariablesWithoutAProbeThatWasAskedFor) {
  ASSERT_EQ(application_->install({.functions = "=hot_real", .modules = "hot_app"}).probes, 1U);
  const Outcome outcome =
      application_->install({.functions = "=hot_real", .modules = "hot_app", .lets = {"a += 1 at =hot_mix"}});
  EXPECT_EQ(outcome.done, 0U);
  EXPECT_THAT(outcome.refusals, Contains(Field(&Outcome::Refusal::reason, HasSubstr("it has a probe"))));
  EXPECT_EQ(application_->install({.functions = "=hot_mix", .modules = "hot_app"}).probes, 1U);
  EXPECT_TRUE(counts(probe_at("hot_mix")));
  EXPECT_TRUE(counts(probe_at("hot_real")));
}

// A removed probe leaves room for a new one, which counts from 0.
TEST_F(ProbedApplication, PutsAProbeInAgainThatWasRemoved) {
  ASSERT_EQ(application_->install({.functions = "=hot_real"}).probes, 1U);
  ASSERT_TRUE(counts(probe_at("hot_real")));
  EXPECT_EQ(probe_at("hot_real").remove().probes, 1U);
  EXPECT_THAT(application_->probes(), IsEmpty());
  ASSERT_EQ(application_->install({.functions = "=hot_real"}).probes, 1U);
  EXPECT_TRUE(counts(probe_at("hot_real")));
}

TEST_F(ProbedApplication, CallsBackInTheOrderOfTheOrders) {
  std::mutex mutex;
  std::vector<std::string> done;
  const auto note = [&](const std::string& what) {
    return [&, what](const Outcome& outcome) {
      const std::scoped_lock lock(mutex);
      done.push_back(what + " " + std::to_string(outcome.probes));
    };
  };
  application_->install({.functions = "hot_{real,mix}", .modules = "hot_app"}, [&](const Outcome& outcome) {
    note("install")(outcome);
    application_->switch_on(note("on, of a callback"));
  });
  application_->switch_off(note("off"));
  application_->wait();
  application_->remove(note("remove"));
  application_->wait();
  const std::scoped_lock lock(mutex);
  EXPECT_THAT(done, ElementsAre("install 2", "off 2", "on, of a callback 2", "remove 2"));
}

TEST_F(ProbedApplication, ShowsItsReadingsAgainAndAgain) {
  ASSERT_EQ(application_->install({.functions = "=hot_real"}).probes, 1U);
  std::atomic<std::uint64_t> looks{0};
  std::atomic<std::uint64_t> calls{0};
  application_->watch(std::chrono::milliseconds(2), [&](const auto& readings) {
    ++looks;
    if (!readings.empty()) calls = readings[0].second.calls;
  });
  EXPECT_TRUE(eventually([&] { return looks > 5 && calls > 0; }));
  application_->stop_watching();
  const std::uint64_t seen = looks;
  application_->switch_off([](const Outcome&) {});
  application_->wait();
  EXPECT_EQ(looks, seen);
}

TEST_F(ProbedApplication, LeavesAProcessToTheApplicationThatHasIt) {
  ASSERT_EQ(application_->install({.functions = "=hot_real"}).probes, 1U);
  Application other(group());
  const Outcome outcome = other.install({.functions = "=hot_mix"});
  EXPECT_EQ(outcome.done, 0U);
  EXPECT_THAT(outcome.refusals,
              ElementsAre(Field(&Outcome::Refusal::reason, HasSubstr("of another Application"))));
  EXPECT_THROW(other.install({.functions = "=hot_mix", .when = "int0 >"}), ConfigurationError);
  EXPECT_THROW(other.install({.functions = ""}), ConfigurationError);
  EXPECT_THROW(other.install({.functions = "x", .every = 0}), ConfigurationError);
}

TEST_F(ProbedApplication, KeepsTheLastReadingOfAProcessThatHasEnded) {
  auto short_lived = std::make_unique<Target>(std::vector<std::string>{HOT_APP}, "/dev/null");
  Application application(Group::of_pids({short_lived->pid()}));
  ASSERT_TRUE(eventually([&] { return application.install({.functions = "=hot_real"}).probes == 1; }));
  const Probe probe = application.probes().at(0);
  EXPECT_TRUE(counts(probe));
  const std::uint64_t calls = probe.read().calls;
  short_lived.reset();
  EXPECT_FALSE(probe.read().is_there);
  EXPECT_GE(probe.read().calls, calls);
  const Outcome outcome = probe.switch_off();
  EXPECT_EQ(outcome.done, 0U);
  EXPECT_THAT(outcome.refusals, SizeIs(1));
}

TEST_F(ProbedApplication, ListsFunctionsWithTheReasonAgainstAProbe) {
  const auto functions = functions_of(target_.pid(), "hot_*", "hot_app");
  EXPECT_THAT(functions, Contains(Field(&ProcessFunction::name, "hot_real")));
  for (const ProcessFunction& function : functions_of(target_.pid(), "_start", "hot_app"))
    EXPECT_THAT(function.module, HasSubstr("hot_app"));
}

TEST_F(ProbedApplication, IsAGroupOfProcesses) {
  Target other({HOT_APP}, "/dev/null");
  ASSERT_TRUE(eventually([&] { return pids_of(Group::of_name("hot_app")).size() >= 2; }));
  const Group both = Group::of_pids({target_.pid(), other.pid()});
  const Group one = Group::of_pids({other.pid()});
  const Group none = Group::where("pid == 1");
  EXPECT_THAT(pids_of(group().united_with(one)), testing::UnorderedElementsAre(target_.pid(), other.pid()));
  EXPECT_THAT(pids_of(both.without(one)), ElementsAre(target_.pid()));
  EXPECT_THAT(pids_of(both.intersected_with(one)), ElementsAre(other.pid()));
  EXPECT_THAT(pids_of(Group::of_name("hot_app").intersected_with(one)), ElementsAre(other.pid()));
  EXPECT_THAT(pids_of(both.intersected_with(none)), IsEmpty());
  EXPECT_THROW((void)Group::where("pid ==").processes(), ConfigurationError);
  EXPECT_THROW((void)Group::named("no-such-group-here").processes(), ConfigurationError);
  Application gone(Group::of_pids({4194304}));
  EXPECT_THAT(gone.install({.functions = "x"}).refusals, SizeIs(1));
}

}  // namespace
}  // namespace eventspace::probing

#endif
