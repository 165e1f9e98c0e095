#include <gmock/gmock.h>

#include "monitors/top/screen.h"
#include "pathmaps/pathmap.h"

// The screen of collectives, with made-up states.
namespace eventspace::top {
namespace {

using testing::Contains;
using testing::ElementsAre;

class TopCollectives : public testing::Test {
 protected:
  static std::vector<std::string> row(const CollectiveSample& sample) {
    State state;
    state.collectives = {sample};
    const Page page = collectives_screen()->page(state, Context{});
    std::vector<std::string> texts;
    for (const Field& field : page.rows.at(0).fields) texts.push_back(field.text);
    return texts;
  }
  static CollectiveSample sum() {
    CollectiveSample sample{"sum"};
    sample.number = 1200;
    sample.per_second = 80;
    sample.last = {"t17"};
    sample.by = Difference{3'200'000, 12'000};
    sample.told = 100;
    sample.waited_ns = 100 * 40e6;
    sample.costliest = "t3";
    sample.cost_ns = 2e9;
    return sample;
  }
};

TEST_F(TopCollectives, ShowTheLastThreadItsLagAndTheCostliestThread) {
  EXPECT_THAT(row(sum()), ElementsAre("sum", "1200", "80.0", "t17", "3.20ms", "40.0ms", "t3", "2.00s", "0"));
}

TEST_F(TopCollectives, NameOnlyCertainThreads) {
  CollectiveSample unclear = sum();
  unclear.last = {"t17", "t18"};
  EXPECT_THAT(row(unclear)[3], "(unclear)");
  EXPECT_THAT(row(unclear)[4], "-");
  EXPECT_THAT(row(CollectiveSample{"sum"})[3], "-");
}

TEST_F(TopCollectives, NameTheThreadsThatAreWaitedFor) {
  State state;
  state.collectives = {sum()};
  state.collectives[0].absent = {"t1", "t2", "t3", "t4", "t5", "t6"};
  const Page page = collectives_screen()->page(state, Context{});
  ASSERT_EQ(page.lines.size(), 1u);
  EXPECT_EQ(page.lines[0][0].text, "sum waits for ");
  EXPECT_EQ(page.lines[0][1].text, "t1..t6");
}

TEST_F(TopCollectives, HaveAScreenOnlyIfThePathmapHasSome) {
  const auto names = [](const std::string& example) {
    std::vector<std::string> all;
    for (const auto& screen : all_screens(require_plan(EVENTSPACE_EXAMPLES "/" + example)))
      all.push_back(screen->name());
    return all;
  };
  EXPECT_THAT(names("windtunnel-collectives.yaml"), Contains("collectives"));
  EXPECT_THAT(names("windtunnel-four-nodes.yaml"), testing::Not(Contains("collectives")));
}

}  // namespace
}  // namespace eventspace::top
