// The metrics in docs/metrics.md are correct, and the faulty ones have the faults that the page shows.

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "scopes/metrics/language/built_in_metrics.h"
#include "scopes/metrics/metric_library.h"
#include "tests/docs/page.h"
#include "tests/scopes/metrics/metric_talk.h"

namespace eventspace::docs {
namespace {

using ::testing::IsEmpty;

const std::filesystem::path page = EVENTSPACE_SOURCE "/docs/metrics.md";

std::vector<Block> blocks_in_language(const std::string& language) {
  std::vector<Block> found;
  for (Block& block : blocks_of(page)) {
    if (block.language == language) found.push_back(std::move(block));
  }
  return found;
}

TEST(MetricsDoc, TheMetricsHaveNoFault) {
  metrics::MetricLibrary library = metrics::MetricLibrary::shipped();
  const auto blocks = blocks_in_language("metrics");
  EXPECT_GE(blocks.size(), 2U);
  for (const Block& block : blocks)
    EXPECT_THAT(test::described(library.add(block.text)), IsEmpty()) << "line " << block.line;
}

TEST(MetricsDoc, TheFaultyMetricHasTheFaultsThatAreShown) {
  const auto faulty = blocks_in_language("faulty metrics");
  const auto shown = blocks_in_language("text");
  ASSERT_EQ(faulty.size(), 1U);
  ASSERT_FALSE(shown.empty());
  metrics::MetricLibrary library;
  std::string faults;
  for (const std::string& fault : test::described(library.add(faulty[0].text)))
    faults += "my.pmsl:" + fault + "\n";
  EXPECT_EQ(faults, shown.back().text);
}

TEST(MetricsDoc, TheTableNamesEachBuiltInMetric) {
  const std::string text = content_of(page);
  for (const metrics::BuiltInMetric& metric : metrics::built_in_metrics()) {
    const std::string stem = metric.name.substr(0, metric.name.rfind('_'));
    const bool is_named = text.find("`" + metric.name) != std::string::npos ||
                          text.find("`" + stem + "_...`") != std::string::npos;
    EXPECT_TRUE(is_named) << metric.name;
  }
}

}  // namespace
}  // namespace eventspace::docs
