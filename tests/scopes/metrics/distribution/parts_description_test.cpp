#include "scopes/metrics/distribution/parts_description.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <tuple>

#include <eventspace/error.h>
#include "scopes/metrics/distribution/server_part_bounds.h"
#include "tests/scopes/metrics/distribution/divided_run.h"

namespace eventspace::metrics {
namespace {

using test::defined;
using ::testing::HasSubstr;
using ::testing::ThrowsMessage;

PartsDescription described(const std::vector<Definition>& definitions, const ObjectPatterns& objects = {}) {
  std::vector<ServerPart> of_metrics;
  for (const Definition& definition : definitions) {
    auto made = divide(definition, objects);
    if (auto* const division = std::get_if<Division>(&made)) of_metrics.push_back(division->server);
  }
  return description_of(of_metrics, SharedParts(of_metrics));
}

PartsDescription of_text(const std::string& text) {
  PartsDescription made;
  made.metrics.push_back({text});
  return made;
}

/// The counts and names of a part.
auto summary_of(const ServerPart& part) {
  const Definition& definition = part.definition;
  std::vector<std::string> probes;
  for (const Sampler& sampler : definition.samplers) probes.push_back(sampler.probe);
  return std::tuple(part.counters, part.samplers, part.objects, part.start_ns, part.cut, definition.counters,
                    probes, definition.given, definition.streams.size(), definition.collections.size(),
                    node_count(definition));
}

TEST(PartsDescription, AServerMakesThePartsOfTheFrontEnd) {
  std::vector<Definition> all;
  for (const Metric& metric : MetricLibrary::shipped().metrics()) {
    all.push_back(defined(metric.name));
    if (all.back().parameters[0].type.dimensions == 1) all.push_back(defined(metric.name, "", {0}));
  }
  std::vector<ServerPart> of_metrics;
  for (const Definition& definition : all) {
    auto made = divide(definition, {{0, "p[0-3]"}});
    if (auto* const division = std::get_if<Division>(&made)) of_metrics.push_back(division->server);
  }
  for (ServerPart& part : of_metrics) part.start_ns = 7;
  const SharedParts shared(of_metrics);
  const auto parts = parts_of(decode_description(encode(description_of(of_metrics, shared))));
  ASSERT_EQ(parts.size(), shared.parts().size());
  for (std::size_t i = 0; i < parts.size(); ++i)
    EXPECT_EQ(summary_of(parts[i]), summary_of(shared.parts()[i])) << i;
}

// `Unused` is in no value, but the text does not compile without it.
TEST(PartsDescription, TheTextHasTheMetricsThatItNames) {
  const std::string text =
      "Unused(Process p, TimeInterval t) { RETURN Send_count(p, t); }\n"
      "Other(Process p, TimeInterval t) { RETURN Receive_count(p, t); }\n"
      "M(Process p, TimeInterval t) { Value x = Unused(p, t); RETURN Loop_Counter(p, t); }";
  const auto description = described({defined("M", text)});
  EXPECT_THAT(description.metrics[0].text, HasSubstr("Loop_Counter(Process"));
  EXPECT_THAT(description.metrics[0].text, testing::Not(HasSubstr("Other")));
  EXPECT_EQ(parts_of(description).size(), 1U);
}

TEST(PartsDescription, WhatIsNoDescriptionIsRefused) {
  auto bytes = encode(described({defined("Loop_Counter")}));
  EXPECT_THROW(decode_description(Bytes(bytes).first(bytes.size() - 1)), ConfigurationError);
  bytes[1] = std::byte{description_version + 1};
  EXPECT_THAT([&] { (void)decode_description(bytes); },
              ThrowsMessage<ConfigurationError>(HasSubstr("another version")));
}

TEST(PartsDescription, AFaultOfTheTextIsNamed) {
  EXPECT_THAT([] { (void)parts_of(of_text("M(TimePoint t) {\n  RETURN x; }")); },
              ThrowsMessage<ConfigurationError>(HasSubstr("line 2, column 10: ")));
}

TEST(PartsDescription, OtherPartsThanTheClientsAreRefused) {
  auto description = described({defined("Loop_Counter")});
  ++description.fingerprint;
  EXPECT_THAT([&] { (void)parts_of(description); },
              ThrowsMessage<ConfigurationError>(HasSubstr("the same version")));
}

TEST(PartsDescription, ParametersThatDoNotExistAreRefused) {
  auto description = described({defined("Loop_Counter")});
  description.metrics[0].each = {9};
  EXPECT_THROW((void)parts_of(description), ConfigurationError);
  description.metrics[0].each.clear();
  description.metrics[0].objects = {{9, "*"}};
  EXPECT_THROW((void)parts_of(description), ConfigurationError);
}

TEST(PartsDescription, AMetricThatServersCannotDivideIsRefused) {
  EXPECT_THAT([] { (void)parts_of(of_text(defined("Send_volume_for_interaction").source)); },
              ThrowsMessage<ConfigurationError>(HasSubstr("partners at a probe")));
}

TEST(PartsDescription, MoreMetricsOrTextThanTheBoundIsRefused) {
  auto description = described({defined("Loop_Counter")});
  description.metrics.resize(PartsDescription::max_metrics + 1, description.metrics[0]);
  EXPECT_THAT([&] { (void)parts_of(description); },
              ThrowsMessage<ConfigurationError>(HasSubstr("257 metrics")));
  description.metrics.resize(2);
  for (auto& measured : description.metrics) measured.text.append(PartsDescription::max_text * 2 / 3, ' ');
  EXPECT_THROW((void)parts_of(description), ConfigurationError);
}

// Each metric uses the one before it; parsing and checking do not nest, but putting them in does.
TEST(PartsDescription, AChainOfMetricsDoesNotExhaustTheStack) {
  std::string text = "M0(Process p, TimeInterval t) { RETURN Send_count(p, t); }\n";
  for (int i = 1; text.size() < longest_file - 4000; ++i) {
    text += fmt::format("M{}(Process p, TimeInterval t) {{ RETURN M{}(p, t)", i, i - 1);
    for (int k = 0; k < 200; ++k) text += fmt::format("+{}", k);
    text += "; }\n";
  }
  EXPECT_THAT([&] { (void)parts_of(of_text(text)); },
              ThrowsMessage<ConfigurationError>(HasSubstr("nested deeper than 2000 levels")));
}

/// Each metric calls the one before it for two orders of its objects, of which there are 40320.
std::string nested_text(int metrics) {
  const auto metric = [](int i, const std::string& value) {
    return fmt::format(
        "M{}(Process a, Process b, Process c, Process d, Process e, Process f, Process g, Process h, "
        "TimeInterval t) {{ RETURN {}; }}\n",
        i, value);
  };
  std::string text = metric(0, "1");
  for (int i = 1; i < metrics; ++i)
    text +=
        metric(i, fmt::format("M{0}(b, c, d, e, f, g, h, a, t) + M{0}(b, a, c, d, e, f, g, h, t)", i - 1));
  return text;
}

TEST(PartsDescription, TheTimeToPutMetricsInIsBounded) {
  const std::string text = nested_text(400);
  const auto begin = std::chrono::steady_clock::now();
  EXPECT_THROW((void)parts_of(of_text(text)), ConfigurationError);
  EXPECT_LT(std::chrono::steady_clock::now() - begin, std::chrono::seconds(20));
}

// Each of these metrics is within the bounds for one metric.
TEST(PartsDescription, TheTimeToPutInAllMetricsTogetherIsBounded) {
  const std::string text = nested_text(14) +
                           "M(Process a, Process b, Process c, Process d, Process e, Process f, Process g, "
                           "Process h, TimeInterval t) {"
                           " RETURN M13(a, b, c, d, e, f, g, h, t) + Send_count(a, t); }";
  MetricLibrary library;
  ASSERT_TRUE(library.add(text).empty());
  const Definition definition =
      define(library.metrics(), static_cast<std::uint32_t>(library.metrics().size() - 1));
  ASSERT_LT(definition.steps, Definition::max_steps);
  const std::size_t metrics = PartsDescription::max_text / text.size();
  ASSERT_GT(definition.steps * metrics, PartsDescription::max_steps);
  PartsDescription description = of_text(text);
  description.metrics.resize(metrics, description.metrics.front());
  const auto begin = std::chrono::steady_clock::now();
  EXPECT_THAT([&] { (void)parts_of(description); },
              ThrowsMessage<ConfigurationError>(HasSubstr("more than a server takes")));
  EXPECT_LT(std::chrono::steady_clock::now() - begin, std::chrono::seconds(20));
}

TEST(ServerPartBounds, TooManyNodesDoNotFit) {
  ServerPart part = std::get<Division>(divide(defined("Mean_iteration_time"), {})).server;
  EXPECT_TRUE(fits_a_server(part));
  part.definition.variables.resize(ServerPartBounds::lists + 1);
  EXPECT_FALSE(fits_a_server(part));
}

}  // namespace
}  // namespace eventspace::metrics
