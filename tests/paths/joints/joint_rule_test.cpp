#include "paths/joints/joint_rule.h"
#include <eventspace/path.h>

#include <gtest/gtest.h>

#include <vector>

namespace eventspace {
namespace {

const Tuple seven = Tuple::of({std::int64_t{7}});

Tuple packed(std::size_t count) { return pack_tuples(std::vector<Tuple>(count, seven)); }

/// The rule of the joint at the root of a collective of integers: joint "a" with participants 0 and 1 is
/// below it, and so are participants 2 and 3.
JointRule root_of(CollectiveKind kind) {
  JointConfig config;
  config.name = "sum";
  config.kind = kind;
  config.signature = {FieldType::integer};
  config.children = {{"a", true, {0, 1}}, {"t2", false, {2}}, {"t3", false, {3}}};
  config.root = 1;
  config.participants = 4;
  return JointRule(config);
}

TEST(JointRuleTest, AGatherTakesFromAJointBelowOneTupleForEachParticipantBelowIt) {
  const JointRule rule = root_of(CollectiveKind::gather);
  EXPECT_EQ(rule.fault_of(0, packed(2)), "");
  EXPECT_EQ(rule.fault_of(0, packed(1)), "found 1 packed tuples; expected 2, one for each thread");
  EXPECT_EQ(rule.fault_of(0, packed(3)), "found 3 packed tuples; expected 2, one for each thread");
  EXPECT_EQ(rule.fault_of(0, packed(0)), "found 0 packed tuples; expected 2, one for each thread");
  EXPECT_EQ(rule.fault_of(1, seven), "");
  EXPECT_EQ(rule.fault_of(1, packed(1)), "found (bytes); expected (int)");
}

TEST(JointRuleTest, AScatterTakesFromTheSideOfTheRootOneTupleForEachParticipantAndFromOthersNone) {
  const JointRule rule = root_of(CollectiveKind::scatter);
  EXPECT_EQ(rule.fault_of(0, packed(4)), "");
  EXPECT_EQ(rule.fault_of(0, packed(3)), "found 3 packed tuples; expected 4, one for each thread");
  EXPECT_EQ(rule.fault_of(0, packed(5)), "found 5 packed tuples; expected 4, one for each thread");
  EXPECT_EQ(rule.fault_of(1, Tuple()), "");
  EXPECT_EQ(rule.fault_of(1, packed(4)), "found (bytes); expected the empty tuple");
}

}  // namespace
}  // namespace eventspace
