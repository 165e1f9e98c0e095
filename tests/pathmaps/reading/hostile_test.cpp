#include <gtest/gtest.h>
#include <unistd.h>

#include <ctime>
#include <filesystem>
#include <fstream>

#include "pathmaps/pathmap.h"

namespace eventspace {
namespace {

std::string repeated(std::string_view text, std::size_t count) {
  std::string whole;
  whole.reserve(text.size() * count);
  for (std::size_t i = 0; i < count; ++i) whole += text;
  return whole;
}

/// Parses a text that must be refused quickly, and returns the text of the first fault.
std::string refusal_of(const std::string& yaml) {
  const auto begin = std::clock();
  const auto result = parse_plan(yaml, "hostile.yaml");
  EXPECT_LT(std::clock() - begin, 10 * CLOCKS_PER_SEC) << "of processor time";
  EXPECT_FALSE(result.plan.has_value());
  return result.faults.empty() ? "" : to_string(result.faults.front());
}

TEST(Hostile, TenMegabytesOfNestingAreRefusedUnread) {
  EXPECT_EQ(
      refusal_of(repeated("[", 10 << 20)),
      "hostile.yaml: error: too large: 10485760 bytes; a pathmap file has at most 1MiB, all of them 4MiB");
}

TEST(Hostile, TenMegabyteFileIsRefusedUnread) {
  const auto file =
      std::filesystem::temp_directory_path() / ("nesting-" + std::to_string(getpid()) + ".yaml");
  std::ofstream(file) << repeated("[", 10 << 20);
  const auto result = load_plan(file);
  std::filesystem::remove(file);
  ASSERT_EQ(result.faults.size(), 1U);
  EXPECT_NE(result.faults[0].text.find("too large: 10485760 bytes"), std::string::npos);
}

TEST(Hostile, DeepFlowListsAreRefused) {
  EXPECT_NE(refusal_of("pathmap: " + repeated("[", 500'000)).find("too deep: more than 64 levels"),
            std::string::npos);
}

TEST(Hostile, NestingWithinTheLimitIsRead) {
  const auto yaml = "pathmap: 1\nx-a: " + repeated("[", 63) + repeated("]", 63);
  EXPECT_EQ(refusal_of(yaml).find("too deep"), std::string::npos);
  EXPECT_NE(
      refusal_of("pathmap: 1\nx-a: " + repeated("[", 64) + repeated("]", 64)).find(":2:69: error: too deep"),
      std::string::npos);
}

TEST(Hostile, DeepFlowMappingsAreRefused) {
  EXPECT_NE(refusal_of(repeated("{a: ", 200'000)).find("too deep: more than 64 levels"), std::string::npos);
}

TEST(Hostile, DeepBlockListsAreRefused) {
  EXPECT_EQ(refusal_of(repeated("- ", 400'000)), "hostile.yaml:1:129: error: too deep: more than 64 levels");
}

TEST(Hostile, DeepExplicitKeysAreRefused) {
  EXPECT_EQ(refusal_of(repeated("? ", 400'000)), "hostile.yaml:1:129: error: too deep: more than 64 levels");
}

TEST(Hostile, DeepIndentationIsRefused) {
  std::string yaml;
  for (int level = 0; level < 500; ++level)
    yaml += std::string(static_cast<std::size_t>(level), ' ') + "a:\n";
  EXPECT_EQ(refusal_of(yaml), "hostile.yaml:65:65: error: too deep: more than 64 levels");
}

TEST(Hostile, BillionLaughsAreRefusedBeforeTheyAreExpanded) {
  std::string yaml = "x-a0: &a0 [ha, ha, ha, ha, ha, ha, ha, ha, ha, ha]\n";
  for (int i = 1; i < 30; ++i)
    yaml += "x-a" + std::to_string(i) + ": &a" + std::to_string(i) + " [" +
            repeated("*a" + std::to_string(i - 1) + ", ", 10) + "]\n";
  EXPECT_NE(refusal_of(yaml).find("too large: with aliases expanded, more than 200000 values"),
            std::string::npos);
}

TEST(Hostile, MergedMappingsAreBoundedToo) {
  std::string yaml = "x-0: &m0 {k0: 1}\n";
  for (int i = 1; i < 3000; ++i) {
    const auto n = std::to_string(i);
    yaml += "x-" + n + ": &m" + n + " {<<: *m" + std::to_string(i - 1) + ", k" + n + ": 1}\n";
  }
  EXPECT_NE(refusal_of(yaml).find("too large"), std::string::npos);
}

TEST(Hostile, ManyValuesAreRefused) {
  EXPECT_NE(refusal_of("x-a: [" + repeated("a,", 400'000) + "]").find("too large: more than 200000 values"),
            std::string::npos);
}

TEST(Hostile, ManyFaultsAreReportedUpToAHundredAndThenCounted) {
  std::string yaml = "pathmap: 1\n";
  for (int i = 0; i < 5000; ++i) yaml += "k" + std::to_string(i) + ": 1\n";
  const auto result = parse_plan(yaml, "hostile.yaml");
  ASSERT_EQ(result.faults.size(), 101U);
  EXPECT_EQ(result.faults.back().line, 0);
  EXPECT_NE(result.faults.back().text.find("more faults"), std::string::npos);
}

TEST(Hostile, GeneratorsCannotGrowWithoutBound) {
  const auto yaml = [](const std::string& generator) {
    return "pathmap: 1\nname: big\ncluster: {nodes: {n1: {host: localhost, port: 1}}}\napplication:\n  "
           "threads: \"t[0-9999]\"\n"
           "  generate: [" +
           generator + "]\nplacement: {processes: {p: {node: n1, threads: \"*\"}}}\n";
  };
  const auto channels = "[" + repeated("c, ", 9'000) + "c]";
  EXPECT_NE(refusal_of(
                yaml("neighbour-exchange: {threads: \"*\", tuple: int, north: " + channels + ", south: [s]}"))
                .find("too large: more than 200000"),
            std::string::npos);
}

TEST(Hostile, BinaryDataIsNotYaml) {
  std::string rubbish;
  for (int i = 0; i < 4096; ++i) rubbish += static_cast<char>((i * 7919) >> 3);
  EXPECT_FALSE(refusal_of(rubbish).empty());
}

TEST(Hostile, PropertiesWithoutAValueAreHarmless) {
  for (const auto* yaml :
       {"!2", "&a", "!t &a", "? !2", "- !2", "a: &b", "{a: !x", "*", "&", "!", "%", "%YAML", "---\n...\n---"})
    EXPECT_FALSE(refusal_of(yaml).empty()) << yaml;
}

}  // namespace
}  // namespace eventspace
