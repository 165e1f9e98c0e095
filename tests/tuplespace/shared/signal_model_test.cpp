#include "tests/tuplespace/shared/signal_model.h"

#include <gtest/gtest.h>

namespace eventspace {
namespace {

using test::SignalModel;
using Design = SignalModel::Design;
using EndIsSought = SignalModel::EndIsSought;

TEST(SignalModelTest, NoWakeUpIsLost) {
  const SignalModel::Verdict verdict = SignalModel(Design::bit_in_the_count).run();
  EXPECT_EQ(verdict.lost, 0u);
  EXPECT_GT(verdict.final_states, 0u);
  EXPECT_GT(verdict.states, 1000u);
}

// --- the model finds faults --------------------------------------------------------------------------------

TEST(SignalModelTest, AFlagBesideTheCountIsClearedUnderAThreadThatIsAboutToSleep) {
  EXPECT_GT(SignalModel(Design::flag_beside_the_count).run().lost, 0u);
}

TEST(SignalModelTest, AnEndBetweenTheOnlyLookAndTheCountIsMissed) {
  EXPECT_GT(SignalModel(Design::bit_in_the_count, EndIsSought::before_the_count).run().lost, 0u);
}

}  // namespace
}  // namespace eventspace
