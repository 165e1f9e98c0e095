#include <gtest/gtest.h>

#include <memory>
#include <set>
#include <string>

#include "scopes/reading/read_stage.h"
#include "tests/scopes/reading/process_talk.h"

// The number of names in one view is limited. A process that ended before all its names were read is read to
// its last name.
namespace eventspace::test {
namespace {

constexpr std::uint32_t many = 10'000;  // of 60 bytes: more than two views can take

std::string name(std::uint32_t i) { return std::to_string(i) + std::string(60, 'x'); }

class NamesOfGoneProcesses : public testing::Test {
 protected:
  void start_process(std::uint64_t fingerprint) {
    Segment::Config config = small_segment(directory.path());
    config.identity.fingerprint = fingerprint;
    segment = std::make_unique<Segment>(config);
    for (std::uint32_t i = 0; i < many; ++i)
      ASSERT_TRUE(segment->add_name({static_cast<std::uint16_t>(OwnNameOf::probe), i, name(i)}));
  }
  View pull(Stage& stage, bool is_answer_lost = false) {
    Pull pull;
    pull.id = ++pulls_;
    pull.after = arrived_;
    Operation operation;
    operation.verb = Verb::pull;
    operation.body = &pull;
    stage.call(operation);
    EXPECT_EQ(operation.status, Status::ok);
    if (!is_answer_lost) arrived_ = pull.id;
    return std::move(pull.view);
  }
  void note(const View& view) {
    for (const OwnName& one : view.names) {
      if (one.of != OwnNameOf::probe) continue;
      EXPECT_TRUE(told.insert(one.text).second) << one.text;
    }
  }

  TemporaryDirectory directory;
  PlainNames names;
  LocalSegments segments{{.session = "wind",
                          .node = "n1",
                          .fingerprint = 0xfeed,
                          .directory = directory.path(),
                          .rescan = std::chrono::nanoseconds(0),
                          .dynamic = {{"n1", {100, 2}}}}};
  std::unique_ptr<Segment> segment;
  std::set<std::string> told;

 private:
  std::uint64_t pulls_{0};
  std::uint64_t arrived_{0};
};

TEST_F(NamesOfGoneProcesses, AProcessWithoutAPlanIsLeftWhenItsLastNameHasArrived) {
  start_process(0);
  ReadStage stage({{}, {100, 2}}, {true, 1000}, segments, names);
  note(pull(stage));
  ASSERT_FALSE(told.empty());
  ASSERT_LT(told.size(), many) << "one view has them all: the test shows nothing";
  segment.reset();
  (void)pull(stage, true);
  for (int i = 0; i < 10; ++i) note(pull(stage));
  EXPECT_EQ(told.size(), many);
  EXPECT_TRUE(pull(stage).processes.empty()) << "it is left then";
}

TEST_F(NamesOfGoneProcesses, TheNextRunOfAProcessOfThePlanIsReadAfterTheNamesOfTheOneBefore) {
  start_process(0xfeed);
  ReadStage stage({{{3, 0}, {5, 0}}}, {.next = true, .batch = 1000, .probes = true}, segments, names);
  note(pull(stage));
  ASSERT_LT(told.size(), many);
  segment.reset();
  Segment::Config next = small_segment(directory.path());
  next.created_realtime_ns = std::chrono::system_clock::now().time_since_epoch().count() + 1'000'000'000;
  segment = std::make_unique<Segment>(next);
  for (int i = 0; i < 10; ++i) note(pull(stage));
  EXPECT_EQ(told.size(), many);
}

}  // namespace
}  // namespace eventspace::test
