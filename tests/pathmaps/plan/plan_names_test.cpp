#include "pathmaps/plan/plan_names.h"

#include <gtest/gtest.h>

#include "tests/pathmaps/pathmap_text.h"

namespace eventspace {
namespace {

/// A pathmap in which thread a of process p0 writes to element box on the server of node n2, and b of p1
/// reads it.
std::shared_ptr<const Plan> small_plan() {
  return std::make_shared<const Plan>(
      PathmapText()
          .cluster("  nodes:\n"
                   "    n1: {host: 127.0.0.1, port: 7101}\n"
                   "    n2: {host: 127.0.0.1, port: 7102}\n")
          .placement("  processes:\n"
                     "    p0: {node: n1, threads: a}\n"
                     "    p1: {node: n1, threads: b}\n"
                     "  elements: [{elements: box, node: n2}]\n")
          .collect("  points: [{at: thread}, {paths: out, at: [thread, element]}]\n")
          .plan());
}

TEST(PlanNames, ReturnTheProcessOfEachTraceElement) {
  const NamesOfPlan names(small_plan());
  const auto process_of = [&](std::uint32_t path, CollectPoint point) -> std::string_view {
    const auto source = names.source_of(path, static_cast<std::uint16_t>(point));
    return source ? names.process_name(source->process) : "nobody";
  };
  ASSERT_EQ(names.path_name(0), "out");
  EXPECT_EQ(process_of(0, CollectPoint::thread), "p0");
  EXPECT_EQ(process_of(0, CollectPoint::element), "server@n2");
  EXPECT_EQ(process_of(1, CollectPoint::thread), "p1");
  EXPECT_EQ(process_of(1, CollectPoint::element), "nobody");
}

TEST(PlanNames, ReturnNothingForUnknownNumbers) {
  const NamesOfPlan names(small_plan());
  EXPECT_EQ(names.source_of(2, 0), std::nullopt);
  EXPECT_EQ(names.source_of(0, 2), std::nullopt);
  EXPECT_EQ(names.source_of(0xffffffff, 0xffff), std::nullopt);
}

}  // namespace
}  // namespace eventspace
