#include <eventspace/extend.h>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <random>

#include <eventspace/error.h>
#include "tests/error_text.h"

namespace eventspace {
namespace {

using namespace std::chrono_literals;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

TEST(Duration, IsANumberAndAUnit) {
  EXPECT_EQ(parse_duration("150ms"), 150ms);
  EXPECT_EQ(parse_duration("2s"), 2s);
  EXPECT_EQ(parse_duration("1.5us"), 1500ns);
  EXPECT_EQ(parse_duration("3min"), 3min);
  EXPECT_EQ(parse_duration("10ns"), 10ns);
  EXPECT_EQ(parse_duration("1h"), 1h);
  EXPECT_EQ(parse_duration("0s"), 0s);
}

TEST(Duration, IsNothingElse) {
  for (const auto* text : {"", "5", "s", "1 s", "-1s", "1.s", ".5s", "1e3s", "1sec", "1s ", "1.5ns",
                           "1.0000000001s", "9999999999999999999ns", "3000000h"})
    EXPECT_EQ(parse_duration(text), std::nullopt) << text;
}

TEST(Duration, IsWrittenInTheShortestExactForm) {
  EXPECT_EQ(format_duration(150ms), "150ms");
  EXPECT_EQ(format_duration(1500ms), "1.5s");
  EXPECT_EQ(format_duration(90s), "90s");
  EXPECT_EQ(format_duration(1h), "1h");
  EXPECT_EQ(format_duration(0ns), "0s");
  EXPECT_EQ(format_duration(-2ms), "-2ms");
  EXPECT_EQ(format_duration(1'000'001ns), "1000001ns");
}

TEST(Duration, IsParsedBackAsFormatted) {
  constexpr auto seed = 7;
  std::mt19937_64 random(seed);
  for (int i = 0; i < 10'000; ++i) {
    const std::chrono::nanoseconds duration(static_cast<std::int64_t>(random() >> (1 + random() % 62)));
    EXPECT_EQ(parse_duration(format_duration(duration)), duration) << "seed " << seed;
  }
}

const std::vector<ParameterSpec> specs{
    {.name = "for", .kind = ParameterKind::duration, .required = true, .least = 0.001, .most = 1.0},
    {.name = "keep",
     .kind = ParameterKind::text,
     .default_value = "latest",
     .choices = {"latest", "earliest"}},
    {.name = "share", .kind = ParameterKind::real, .least = 0.0, .most = 1.0},
    {.name = "verbs", .kind = ParameterKind::texts, .choices = {"read", "write"}},
    {.name = "count", .kind = ParameterKind::integer, .default_value = std::int64_t{3}}};

std::string only_fault(const Parameters& given) {
  const auto faults = check_parameters(specs, given);
  EXPECT_THAT(faults, SizeIs(1));
  return faults.empty() ? "" : faults.front().parameter + "|" + faults.front().text;
}

TEST(Parameters, AFaultInsideATextHasItsOffset) {
  ParameterSpec spec{"where", ParameterKind::text};
  spec.check = [](std::string_view text) -> std::optional<TextFault> {
    const auto at = text.find('?');
    if (at == std::string_view::npos) return std::nullopt;
    return TextFault{at, "found a question"};
  };
  EXPECT_THAT(check_parameters({spec}, {{"where", "here"}}), IsEmpty());
  const auto faults = check_parameters({spec}, {{"where", "who?"}});
  ASSERT_THAT(faults, SizeIs(1));
  EXPECT_EQ(faults[0].parameter, "where");
  EXPECT_EQ(faults[0].text, "'where', found a question");
  EXPECT_EQ(faults[0].offset, 3U);
  EXPECT_THAT(check_parameters({spec}, {{"where", true}}), SizeIs(1));
}

TEST(Parameters, ValidParametersHaveNoFaults) {
  EXPECT_THAT(check_parameters(specs, {{"for", 5ms}, {"keep", "earliest"}, {"share", 0.5}}), IsEmpty());
}

TEST(Parameters, EachFaultNamesItsParameter) {
  EXPECT_EQ(only_fault({}), "|parameter 'for' is missing; expected a duration");
  EXPECT_THAT(only_fault({{"for", 5ms}, {"fro", 1ms}}),
              HasSubstr("fro|unknown parameter 'fro'; known: for, keep"));
  EXPECT_EQ(only_fault({{"for", "soon"}}), "for|found 'soon' for 'for'; expected a duration");
  EXPECT_EQ(only_fault({{"for", 2s}}), "for|found '2s' for 'for'; expected a duration from 1ms to 1s");
  EXPECT_EQ(only_fault({{"for", 5ms}, {"keep", "all"}}),
            "keep|found 'all' for 'keep'; allowed: latest, earliest");
  EXPECT_EQ(only_fault({{"for", 5ms}, {"share", 1.5}}),
            "share|found '1.5' for 'share'; expected a number from 0 to 1");
}

TEST(Parameters, EachOfSeveralWordsIsAChoice) {
  EXPECT_EQ(only_fault({{"for", 5ms}, {"verbs", std::vector<std::string>{"read", "reed"}}}),
            "verbs|found 'reed' for 'verbs'; allowed: read, write");
}

TEST(Parameters, AllFaultsAreFound) {
  EXPECT_THAT(check_parameters(specs, {{"keep", 3.5}, {"what", true}, {"count", "x"}}), SizeIs(4));
}

TEST(Parameters, DefaultsAreFilledInAndIntegersServeAsReals) {
  const auto complete = complete_parameters(specs, {{"for", 5ms}, {"share", std::int64_t{1}}}, "delay");
  EXPECT_EQ(parameter<std::string>(complete, "keep"), "latest");
  EXPECT_EQ(parameter<std::int64_t>(complete, "count"), 3);
  EXPECT_EQ(parameter<double>(complete, "share"), 1.0);
}

TEST(Parameters, WithoutADefaultTheyStayAbsent) {
  const auto complete = complete_parameters(specs, {{"for", 5ms}}, "delay");
  EXPECT_EQ(optional_parameter<double>(complete, "share"), std::nullopt);
}

TEST(Parameters, CompletingFaultyParametersThrowsWithTheOwner) {
  EXPECT_EQ(test::error_text<ConfigurationError>([&] { complete_parameters(specs, {}, "delay"); }),
            "delay: parameter 'for' is missing; expected a duration");
}

TEST(ParameterValue, IsSpeltAsInAPathmap) {
  EXPECT_EQ(to_string(ParameterValue(true)), "true");
  EXPECT_EQ(to_string(ParameterValue(std::int64_t{-3})), "-3");
  EXPECT_EQ(to_string(ParameterValue(0.25)), "0.25");
  EXPECT_EQ(to_string(ParameterValue("text")), "text");
  EXPECT_EQ(to_string(ParameterValue(20ms)), "20ms");
  EXPECT_EQ(to_string(ParameterValue(std::vector<std::string>{"a", "b"})), "[a, b]");
}

}  // namespace
}  // namespace eventspace
