#include "scopes/streams/filter_change.h"

#include <gtest/gtest.h>

#include <eventspace/error.h>
#include "tests/scopes/streams/stream_parts.h"

namespace eventspace::streams {
namespace {

using test::kinds;
using test::Process;
using test::queued;

/// A stream in a process with two children, which are processes, and what is sent to them and to the parent.
struct Changing {
  explicit Changing(Part part) : process(part) {
    for (const Child child : {one, other})
      (void)passing.join(child, process.children.at(child), process.below.of(child), 0);
  }
  /// A frame of the parent.
  static Frame frame(FrameKind kind, std::uint32_t generation, const char* filter = "count") {
    Frame made{.kind = kind, .stream = 5, .packet = encode(StreamOptions{.up = {{.name = filter}}})};
    if (kind == FrameKind::begin) made.packet = Format<std::uint64_t>::make(0, std::uint64_t{0});
    made.packet.generation = generation;
    return made;
  }
  /// A child answers that it can make the filters, or why it cannot.
  void agree(Child child, std::uint64_t first_wave, const std::string& why = {}) {
    Frame agreed{.kind = FrameKind::agreed, .number = first_wave};
    agreed.packet.generation = 2;
    agreed.packet.body = std::as_bytes(std::span(why));
    change.on_agreed(child, agreed);
  }
  std::vector<FrameKind> to(Child child) { return kinds(queued(process.children.at(child).link)); }
  std::vector<Frame> to_parent() { return queued(process.parent.link()); }
  std::string filter() const { return passing.filters().newest_up().name(0); }

  Process process;
  Child one{process.add(RankSet::of_range(0, 0), true)};
  Child other{process.add(RankSet::of_range(1, 1), true)};
  StreamOptions options{.up = {{.name = "sum"}}};
  WavePassing passing{5, options, 1, process.place()};
  FilterChange change{5, options, passing, process.place()};
};

TEST(FilterChangeTest, NewFiltersBeginWithTheFirstWaveThatNoProcessHasPassedOn) {
  Changing front(Part::front_end);
  front.change.begin({{.name = "count"}}, {});
  EXPECT_EQ(front.to(front.one), std::vector{FrameKind::change});
  front.agree(front.one, 7);
  EXPECT_FALSE(front.change.has_answers());
  front.agree(front.other, 4);
  EXPECT_TRUE(front.change.has_answers());
  EXPECT_EQ(front.change.end(), 7U);
  EXPECT_EQ(front.filter(), "count");
  EXPECT_EQ(front.options.up.front().name, "count");
  EXPECT_EQ(front.to(front.one), (std::vector{FrameKind::change, FrameKind::begin}));
}

TEST(FilterChangeTest, IfAProcessCannotMakeThemAllKeepTheOldOnes) {
  Changing front(Part::front_end);
  front.change.begin({{.name = "count"}}, {});
  front.agree(front.one, 0, "no such filter");
  EXPECT_TRUE(front.change.has_answers()) << "the others need not answer";
  EXPECT_THROW((void)front.change.end(), ConfigurationError);
  EXPECT_EQ(front.filter(), "sum");
  EXPECT_EQ(front.to(front.other), (std::vector{FrameKind::change, FrameKind::keep}));
}

TEST(FilterChangeTest, FiltersThatTheFrontEndCannotMakeAreRefusedAtOnce) {
  Changing front(Part::front_end);
  EXPECT_THROW(front.change.begin({{.name = "no such filter"}}, {}), ConfigurationError);
  EXPECT_TRUE(front.change.has_answers()) << "nothing is in progress";
  EXPECT_EQ(front.filter(), "sum");
}

TEST(FilterChangeTest, WavesAreHeldDuringAChange) {
  Changing front(Part::front_end);
  front.change.begin({{.name = "count"}}, {});
  const auto now = WavePassing::Clock::now();
  for (const Child child : {front.one, front.other})
    front.passing.receive(child, Process::packet(0, 4, 1), now);
  front.passing.pump(now);
  EXPECT_EQ(front.passing.counters().waves, 0U);
  front.change.drop();
  EXPECT_EQ(front.passing.counters().waves, 1U);
}

TEST(FilterChangeTest, AProcessAnswersOnceWhenAllBelowHaveAnsweredOrLeft) {
  Changing node(Part::internal);
  node.change.on_change(Changing::frame(FrameKind::change, 2));
  node.agree(node.one, 9);
  EXPECT_TRUE(node.to_parent().empty());
  node.change.child_left(node.other);
  node.change.child_left(node.other);
  ASSERT_EQ(kinds(node.to_parent()), std::vector{FrameKind::agreed});
  EXPECT_EQ(node.to_parent().front().number, 9U);
}

TEST(FilterChangeTest, AProcessUsesTheFiltersWhenTheParentSaysSo) {
  Changing node(Part::internal);
  node.change.on_change(Changing::frame(FrameKind::change, 2));
  node.change.on_begin(Changing::frame(FrameKind::begin, 3));
  EXPECT_EQ(node.filter(), "sum") << "that is another change";
  node.change.on_begin(Changing::frame(FrameKind::begin, 2));
  EXPECT_EQ(node.filter(), "count");
  EXPECT_FALSE(node.change.request());
}

TEST(FilterChangeTest, AChangeOfAnOldGenerationOrDuringAnotherOneBreaksTheRules) {
  Changing node(Part::internal);
  EXPECT_THROW(node.change.on_change(Changing::frame(FrameKind::change, 1)), PacketError);
  EXPECT_FALSE(node.change.request());
  node.change.on_change(Changing::frame(FrameKind::change, 2));
  EXPECT_THROW(node.change.on_change(Changing::frame(FrameKind::change, 3)), PacketError);
  EXPECT_EQ(node.change.request()->packet.generation, 2U);
}

TEST(FilterChangeTest, ANewParentTellsTheOutcome) {
  Changing used(Part::internal);
  used.change.on_change(Changing::frame(FrameKind::change, 2));
  EXPECT_FALSE(used.change.catch_up(Changing::frame(FrameKind::open, 2)));
  EXPECT_EQ(used.filter(), "count");
  Changing dropped(Part::internal);
  dropped.change.on_change(Changing::frame(FrameKind::change, 2));
  EXPECT_FALSE(dropped.change.catch_up(Changing::frame(FrameKind::open, 1, "sum")));
  EXPECT_EQ(dropped.filter(), "sum");
  EXPECT_FALSE(dropped.change.request());
}

}  // namespace
}  // namespace eventspace::streams
