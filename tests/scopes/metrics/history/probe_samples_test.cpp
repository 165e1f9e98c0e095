#include "scopes/metrics/history/probe_samples.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/scopes/metrics/evaluation/observed_run.h"

namespace eventspace::metrics {
namespace {

using test::ObservedRun;
using testing::ElementsAre;

constexpr std::uint32_t thread = 4;
constexpr std::uint32_t process = 2;

/// Three samplers: two at the probe `loop`, one at the probe `step`.
class ProbeSamplesTest : public testing::Test {
 protected:
  ProbeSamplesTest() {
    for (const char* const probe : {"loop", "step", "loop"}) {
      Sampler sampler;
      sampler.probe = probe;
      definition.samplers.push_back(sampler);
    }
  }
  /// The passage of the last record of the run.
  std::optional<ProbeSamples::Passage> last_passage(bool is_late = false) {
    view = run.view(1000);
    TimedEvents::Event event;
    event.last = &view.records.back();
    event.size = 1;
    event.process = &view.processes.front();
    event.is_late = is_late;
    return samples().passage(event, thread, process);
  }
  ProbeSamples& samples() {
    if (!samples_) samples_.emplace(definition, run.names);
    return *samples_;
  }

  ObservedRun run;
  View view;
  Definition definition;
  std::optional<ProbeSamples> samples_;
};

TEST_F(ProbeSamplesTest, APassageHasTheSamplersOfItsProbe) {
  run.pass(0, 1, "loop", 17);
  const auto passage = last_passage();
  ASSERT_TRUE(passage);
  EXPECT_THAT(passage->samplers, ElementsAre(0u, 2u));
  EXPECT_EQ(passage->thread, thread);
  EXPECT_EQ(passage->process, process);
  EXPECT_EQ(passage->place.virtual_time, 17);
  EXPECT_FALSE(passage->place.passage);
}

TEST_F(ProbeSamplesTest, APassageWithoutAVirtualTimeHasItsNumber) {
  run.pass_again(0, 1, "step", 5);
  const auto passage = last_passage();
  ASSERT_TRUE(passage);
  EXPECT_THAT(passage->samplers, ElementsAre(1u));
  EXPECT_EQ(passage->place.passage, 5);
}

TEST_F(ProbeSamplesTest, AProbeWithoutSamplersYieldsNothing) {
  run.pass(0, 1, "another");
  EXPECT_FALSE(last_passage());
  EXPECT_EQ(samples().left_out(), 0u);
}

TEST_F(ProbeSamplesTest, SamplersWhoseProbeOccurredHavePassed) {
  EXPECT_FALSE(samples().was_passed(0));
  run.pass(0, 1, "loop");
  ASSERT_TRUE(last_passage());
  EXPECT_TRUE(samples().was_passed(0));
  EXPECT_FALSE(samples().was_passed(1));
  EXPECT_TRUE(samples().was_passed(2));
  samples().note_passed(1);
  EXPECT_TRUE(samples().was_passed(1));
}

TEST_F(ProbeSamplesTest, APassageThatCannotBePlacedIsCountedForEachSampler) {
  run.pass(0, 1, "loop");
  EXPECT_FALSE(last_passage(true));
  run.pass(0, 2, "step", uncounted_passage);
  EXPECT_FALSE(last_passage());
  EXPECT_EQ(samples().left_out(0), 1u);
  EXPECT_EQ(samples().left_out(1), 1u);
  EXPECT_EQ(samples().left_out(2), 1u);
  EXPECT_EQ(samples().left_out(), 3u);
}

TEST_F(ProbeSamplesTest, ObjectsGetSamplesWhenTheyAreFirstNeeded) {
  EXPECT_TRUE(samples().has_samplers());
  EXPECT_EQ(samples().find(1, 3), nullptr);
  samples().of(1, 3).keep({0, 7}, Datum{});
  ASSERT_NE(samples().find(1, 3), nullptr);
  EXPECT_EQ(samples().find(1, 3)->steps().size(), 1u);
  EXPECT_EQ(samples().of_all(1).size(), 4u);
  EXPECT_TRUE(samples().of_all(0).empty());
}

}  // namespace
}  // namespace eventspace::metrics
