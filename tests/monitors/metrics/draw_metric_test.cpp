#include "monitors/metrics/draw_metric.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <memory>
#include <string>

#include <eventspace/error.h>
#include "pathmaps/pathmap.h"
#include "scopes/metrics/metric_library.h"
#include "tests/error_text.h"
#include "tests/lines.h"

namespace eventspace {
namespace {

using test::times_in;
using testing::HasSubstr;
using testing::Not;

class DrawMetric : public testing::Test {
 protected:
  std::string drawn(const std::string& metric, MetricGraph graph, const std::string& objects = "") const {
    return draw_metric(plan_, {.metric = metric, .graph = graph, .objects = objects});
  }

 private:
  std::shared_ptr<const Plan> plan_ =
      std::make_shared<const Plan>(require_plan(EVENTSPACE_EXAMPLES "/windtunnel-four-nodes.yaml"));
};

constexpr std::array all_graphs{MetricGraph::tree,    MetricGraph::dag,      MetricGraph::shared,
                                MetricGraph::defined, MetricGraph::dataflow, MetricGraph::parts};

TEST_F(DrawMetric, EachStepOfEachShippedMetricHasAPicture) {
  for (const metrics::Metric& metric : metrics::MetricLibrary::shipped().metrics()) {
    const metrics::Base of = metric.parameters.front().type.base;
    const std::string objects = of == metrics::Base::process ? "p0" : of == metrics::Base::thread ? "t0" : "";
    for (const MetricGraph graph : all_graphs)
      EXPECT_THAT(drawn(metric.name, graph, objects), HasSubstr("metric " + metric.name)) << metric.name;
  }
}

TEST_F(DrawMetric, StepsJoinWhatIsEqual) {
  const auto boxes = [this](MetricGraph graph) {
    return times_in(drawn("Mean_iteration_time", graph), "\n  \"n");
  };
  EXPECT_GT(boxes(MetricGraph::tree), boxes(MetricGraph::dag));
  EXPECT_GT(boxes(MetricGraph::dag), boxes(MetricGraph::shared));
}

// Graphviz may put SUM on either side of COUNT in SUM / COUNT.
TEST_F(DrawMetric, TheSecondOperandIsMarked) {
  const auto marks = [this](const std::string& metric, MetricGraph graph) {
    return times_in(drawn(metric, graph, "p0"), "2nd&#160;");
  };
  EXPECT_EQ(marks("Mean_iteration_time", MetricGraph::shared), 2U);    // of / and of -
  EXPECT_EQ(marks("Mean_iteration_time", MetricGraph::dataflow), 2U);  // the same
  EXPECT_EQ(marks("Loop_Counter", MetricGraph::shared), 0U);
}

TEST_F(DrawMetric, PartsAreInTheFramesOfTheirNodes) {
  const std::string parts = drawn("Mean_iteration_time", MetricGraph::parts);
  EXPECT_EQ(times_in(parts, "subgraph"), 4U);
  EXPECT_THAT(parts, HasSubstr("node n1"));
  EXPECT_THAT(parts, HasSubstr("from its server"));
  EXPECT_THAT(parts, HasSubstr("iteration_end"));
  const std::string one = drawn("Mean_iteration_time", MetricGraph::parts, "p0");
  EXPECT_EQ(times_in(one, "subgraph"), 1U);
  EXPECT_THAT(drawn("Mean_iteration_time", MetricGraph::dataflow), Not(HasSubstr("subgraph")));
}

TEST_F(DrawMetric, ObjectsThatDoNotMatchAreRefused) {
  EXPECT_THAT(test::error_text<ConfigurationError>(
                  [&] { (void)drawn("Mean_iteration_time", MetricGraph::parts, "q*"); }),
              HasSubstr("--objects 'q*' matches none of the 4 objects"));
}

TEST_F(DrawMetric, AMetricThatDoesNotExistIsRefused) {
  EXPECT_THROW(drawn("Mean_iteration_tim", MetricGraph::tree), ConfigurationError);
}

}  // namespace
}  // namespace eventspace
