#include "paths/server/open_targets.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <utility>

namespace eventspace {
namespace {

using namespace std::chrono_literals;
using Clock = OpenTargets::Clock;

/// A stage that sets a flag when it is destroyed.
class MortalStage final : public Stage {
 public:
  explicit MortalStage(bool& gone) noexcept : gone_(&gone) {}
  ~MortalStage() override { *gone_ = true; }
  void begin(Operation& /*operation*/) override {}
  bool ready(Operation& /*operation*/) override { return true; }
  void finish(Operation& /*operation*/) override {}

 private:
  bool* gone_;
};

/// Two targets and two peers at most; unused targets are freed after a minute.
class OpenTargetsTest : public testing::Test {
 protected:
  using Admission = OpenTargets::Admission;
  bool admit(const std::string& peer, std::uint64_t id) {
    return targets.admit(peer, id) == Admission::admitted;
  }
  std::uint64_t add(const std::string& peer) {
    OpenTarget target;
    target.peer = peer;
    target.stage = std::make_unique<MortalStage>(gone);
    return targets.add(std::move(target));
  }

  bool gone{false};
  OpenTargets targets{2, 2, 1min};
};

// --- peers and the numbers of their requests --------------------------------------------------------

TEST_F(OpenTargetsTest, NumbersMustRise) {
  EXPECT_TRUE(admit("p", 5));
  EXPECT_TRUE(admit("p", 6));
  EXPECT_FALSE(admit("p", 6));
  EXPECT_FALSE(admit("p", 1));
  EXPECT_TRUE(admit("p", 100));
}

TEST_F(OpenTargetsTest, NumberZeroIsNone) { EXPECT_FALSE(admit("p", 0)); }

TEST_F(OpenTargetsTest, EachPeerHasNumbersOfItsOwn) {
  EXPECT_TRUE(admit("p", 5));
  EXPECT_TRUE(admit("q", 5));
  EXPECT_FALSE(admit("p", 5));
  EXPECT_EQ(targets.peers(), 2u);
}

TEST_F(OpenTargetsTest, ANewPeerIsRefusedRatherThanAnotherOneForgotten) {
  EXPECT_TRUE(admit("p", 5));
  EXPECT_TRUE(admit("q", 5));
  EXPECT_EQ(targets.admit("r", 5), Admission::too_many);
  EXPECT_EQ(targets.admit("p", 5), Admission::replayed) << "what was asked before is still known";
  EXPECT_EQ(targets.peers(), 2u);
}

TEST_F(OpenTargetsTest, APeerThatIsGoneMakesRoom) {
  EXPECT_TRUE(admit("p", 5));
  EXPECT_TRUE(admit("q", 5));
  EXPECT_THAT(targets.known_peers(), testing::UnorderedElementsAre("p", "q"));
  EXPECT_FALSE(targets.is_crowded_for("p"));
  EXPECT_TRUE(targets.is_crowded_for("r"));
  EXPECT_FALSE(targets.is_crowded_for("r")) << "twice in a row there is nothing new to find";
  targets.forget("p");
  EXPECT_TRUE(admit("r", 5));
}

// --- shares of the targets --------------------------------------------------------------------------

TEST(TargetShareTest, APeerThatWantsAllGetsThreeQuartersOfWhatOthersLeave) {
  OpenTargets targets{4096, 100, 1min};
  const auto take_all = [&](const std::string& peer) {
    while (!targets.full() && targets.has_share(peer)) {
      OpenTarget target;
      target.peer = peer;
      targets.add(std::move(target));
    }
    return targets.of_peer(peer);
  };
  EXPECT_EQ(take_all("first"), 3072u);
  EXPECT_EQ(take_all("second"), 768u);
  for (int peer = 0; peer < 3; ++peer) take_all(std::to_string(peer));
  EXPECT_TRUE(targets.has_share("the owner's monitor"));
  EXPECT_FALSE(targets.has_share("first"));
}

TEST(TargetShareTest, WithOnePlaceThereIsAShareForOne) {
  OpenTargets targets{1, 100, 1min};
  EXPECT_TRUE(targets.has_share("p"));
}

// --- targets ----------------------------------------------------------------------------------------

TEST_F(OpenTargetsTest, ATargetBelongsToThePeerThatOpenedIt) {
  const std::uint64_t target = add("p");
  ASSERT_NE(targets.find("p", target), nullptr);
  EXPECT_EQ(targets.find("p", target)->peer, "p");
  EXPECT_EQ(targets.find("p", target)->forward, nullptr);
  EXPECT_EQ(targets.find("p", target)->pending, 0u);
  EXPECT_EQ(targets.find("q", target), nullptr);
  EXPECT_FALSE(targets.remove("q", target));
  EXPECT_FALSE(gone);
  EXPECT_TRUE(targets.remove("p", target));
  EXPECT_TRUE(gone);
  EXPECT_FALSE(targets.remove("p", target));
}

TEST_F(OpenTargetsTest, NumbersAreNotUsedAgain) {
  const std::uint64_t first = add("p");
  EXPECT_NE(first, 0u);
  EXPECT_TRUE(targets.remove("p", first));
  EXPECT_GT(add("p"), first);
  EXPECT_EQ(targets.find(first), nullptr);
}

TEST_F(OpenTargetsTest, TheLimitIsForTheTargetsOfAllPeersTogether) {
  EXPECT_FALSE(targets.full());
  const std::uint64_t target = add("p");
  add("q");
  EXPECT_TRUE(targets.full());
  EXPECT_EQ(targets.size(), 2u);
  targets.remove("p", target);
  EXPECT_FALSE(targets.full());
}

TEST_F(OpenTargetsTest, ForgettingAPeerKeepsItsTargets) {
  const std::uint64_t target = add("p");
  EXPECT_TRUE(admit("p", 1));
  targets.forget("p");
  EXPECT_NE(targets.find("p", target), nullptr);
}

// --- the lease --------------------------------------------------------------------------------------

TEST_F(OpenTargetsTest, AnUnusedTargetIsFreedAfterTheLease) {
  add("p");
  targets.expire(Clock::now() + 59s);
  EXPECT_FALSE(gone);
  targets.expire(Clock::now() + 61s);
  EXPECT_TRUE(gone);
  EXPECT_EQ(targets.size(), 0u);
}

TEST_F(OpenTargetsTest, UseBeginsTheLeaseAnew) {
  const std::uint64_t target = add("p");
  targets.find(target)->used -= 50s;
  ASSERT_NE(targets.find("p", target), nullptr);  // use
  targets.expire(Clock::now() + 30s);
  EXPECT_FALSE(gone);
}

TEST_F(OpenTargetsTest, ATargetWithAnOperationUnderWayIsNotFreed) {
  const std::uint64_t target = add("p");
  targets.find(target)->pending = 17;
  targets.expire(Clock::now() + 1h);
  EXPECT_FALSE(gone);
  targets.find(target)->pending = 0;
  targets.expire(Clock::now() + 1h);
  EXPECT_TRUE(gone);
}

TEST_F(OpenTargetsTest, ClearFreesTargetsWithOperationsToo) {
  targets.find(add("p"))->pending = 17;
  targets.clear();
  EXPECT_TRUE(gone);
  EXPECT_EQ(targets.size(), 0u);
}

}  // namespace
}  // namespace eventspace
