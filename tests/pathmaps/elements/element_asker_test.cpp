#include "pathmaps/elements/element_asker.h"

#include <fmt/format.h>
#include <gmock/gmock.h>

#include "pathmaps/pathmap.h"
#include "tests/pathmaps/valid_plan.h"
#include "tests/paths/server_talk.h"

namespace eventspace {
namespace {

using std::chrono::hours;
using std::chrono::milliseconds;

// Nodes without keys, whose servers do not run.
std::shared_ptr<const Plan> plan_without_servers() {
  return test::shared_plan(parse_plan(fmt::format(R"(
pathmap: 1
name: silence
security: none
cluster: {{nodes: {{n1: {{host: 127.0.0.1, port: {}}}}}}}
application:
  threads: [a]
  elements: [{{name: queue, tuple: [int]}}]
  paths: [{{thread: a, name: put, element: queue}}]
placement: {{processes: {{p: {{node: n1, threads: a}}}}, elements: [{{elements: queue, node: n1}}]}}
)",
                                                  test::free_port()),
                                      "silence.yaml"));
}

TEST(ElementAsker, WaitsAgainForASilentHostOnlyAsLongAsItIsTold) {
  ElementAsker asker(plan_without_servers(), "");
  const auto first = asker.ask(milliseconds(1));
  ASSERT_EQ(first.size(), 1u);
  EXPECT_THAT(first[0].refusal, testing::StartsWith("it does not answer"));
  const auto second = asker.ask(hours(1), milliseconds(1));  // otherwise this test would not end
  ASSERT_EQ(second.size(), 1u);
  EXPECT_THAT(second[0].refusal, testing::StartsWith("it does not answer"));
}

}  // namespace
}  // namespace eventspace
