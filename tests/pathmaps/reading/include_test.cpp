#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include <eventspace/error.h>
#include "tests/pathmaps/pathmap_text.h"

namespace eventspace {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;
using ::testing::SizeIs;

/// A temporary folder of files.
class Includes : public testing::Test {
 protected:
  Includes() { fs::create_directories(folder_ / "parts"); }
  ~Includes() override { fs::remove_all(folder_); }

  void file(const std::string& name, const std::string& text) const { std::ofstream(folder_ / name) << text; }
  [[nodiscard]] LoadResult load(const std::string& name) const { return load_plan(folder_ / name); }
  [[nodiscard]] Plan plan(const std::string& name) const {
    auto result = load(name);
    for (const auto& fault : result.faults) ADD_FAILURE() << to_string(fault);
    return result.plan.value_or(Plan{});
  }

  fs::path folder_{fs::temp_directory_path() / ("eventspace-include-" + std::to_string(getpid()))};
};

TEST_F(Includes, ListsAreAppendedAndNamesJoined) {
  file("parts/more.yaml",
       "application:\n  threads: c\n  paths: [{thread: c, name: x, element: box}]\n"
       "placement: {processes: {p1: {node: n1, port: 8, threads: c}}}\n");
  file("main.yaml",
       "include: parts/more.yaml\n" +
           PathmapText().placement("  processes: {p0: {node: n1, port: 9, threads: [a, b]}}\n").text());
  const auto loaded = plan("main.yaml");
  ASSERT_THAT(loaded.threads, SizeIs(3));
  EXPECT_EQ(loaded.threads.front().name, "c") << "fragments come first";
  EXPECT_THAT(loaded.paths, SizeIs(3));
  EXPECT_EQ(loaded.processes.front().name, "p1");
}

TEST_F(Includes, SettingsOfTheIncludingFileReplaceOthers) {
  file("base.yaml", "name: base\nlimits: {lease: 5s, message: 1MiB}\ncollect: {threshold: 7}\n");
  file("main.yaml", "include: base.yaml\nlimits: {lease: 9s}\n" + PathmapText().text());
  const auto loaded = plan("main.yaml");
  EXPECT_EQ(loaded.name, "small");
  EXPECT_EQ(loaded.limits.lease, std::chrono::seconds(9));
  EXPECT_EQ(loaded.limits.message_bytes, 1U << 20);
  EXPECT_EQ(loaded.traces.front().threshold, 7U);
}

TEST_F(Includes, SettingsOfANameInTheIncludingFileReplaceTheirsOneByOne) {
  file("base.yaml", PathmapText()
                        .cluster("  nodes: {n1: {host: 127.0.0.2, port: 7101}}\n")
                        .placement("  processes: {p0: {node: n1, port: 8, threads: [a, b]}}\n")
                        .text());
  file("main.yaml",
       "include: base.yaml\ncluster: {nodes: {n1: {port: 7201}, n2: {port: 7202, host: 127.0.0.2}}}\n"
       "placement: {processes: {p0: {threads: [a]}, p1: {node: n2, threads: [b]}}}\n");
  const auto loaded = plan("main.yaml");
  ASSERT_THAT(loaded.nodes, SizeIs(2));
  EXPECT_EQ(loaded.nodes.front().endpoint(), "tcp://127.0.0.2:7201");
  EXPECT_EQ(loaded.processes.front().endpoint, "tcp://127.0.0.2:8") << "its port is that of the fragment";
  EXPECT_EQ(host_name(loaded, loaded.threads.back().host()), "p1");
}

TEST_F(Includes, AScopeInTheIncludingFileReplacesTheWholeOther) {
  file("base.yaml", "scopes: {s: {threads: a, levels: [{group: all, wrapper: gather}]}}\n");
  file("main.yaml", "include: base.yaml\n" + PathmapText().scopes("  s: {shape: by-node}\n").text());
  const auto loaded = plan("main.yaml");
  ASSERT_NE(loaded.find_scope("s"), nullptr);
  EXPECT_EQ(count_sources(loaded.find_scope("s")->root), 2U) << "its threads are those of the second";
}

TEST_F(Includes, TheWordNoneRemovesAName) {
  file("base.yaml", PathmapText()
                        .cluster("  nodes: {n1: {}, n2: {}}\n")
                        .placement("  processes: {p0: {node: n1, threads: a}, p1: {node: n2, threads: b}}\n")
                        .text());
  file("main.yaml",
       "include: base.yaml\ncluster: {nodes: {n2: none}}\n"
       "placement: {processes: {p0: {threads: [a, b]}, p1: none}}\nscopes: {s: none}\n");
  const auto loaded = plan("main.yaml");
  EXPECT_THAT(loaded.nodes, SizeIs(1));
  EXPECT_THAT(loaded.processes, SizeIs(1));
  EXPECT_EQ(loaded.find_scope("s"), nullptr);
}

TEST_F(Includes, AnOverrideIsCheckedWhereItIsWritten) {
  file("base.yaml", PathmapText().text());
  file("main.yaml", "include: base.yaml\nplacement:\n  processes:\n    p0: {node: n7}\n");
  const auto faults = load("main.yaml").faults;
  ASSERT_THAT(faults, SizeIs(1));
  EXPECT_THAT(to_string(faults[0]), HasSubstr("main.yaml:4:16: error: unknown node 'n7'"));
}

TEST_F(Includes, AnExampleMovesToOtherPortsAndNodesInAFewLines) {
  const fs::path example = fs::path(EVENTSPACE_EXAMPLE_FOLDER) / "windtunnel-four-nodes.yaml";
  file("main.yaml", "include: " + example.string() +
                        "\ncluster: {nodes: {n3: none, n4: none}}\n"
                        "placement: {processes: {p2: {node: n1}, p3: {node: n2}}}\n");
  const auto loaded = plan("main.yaml");
  EXPECT_THAT(loaded.nodes, SizeIs(2));
  EXPECT_EQ(loaded.nodes.at(loaded.processes.back().node).name, "n2");
}

TEST_F(Includes, AreRelativeToTheIncludingFile) {
  file("parts/inner.yaml", "name: inner\n");
  file("parts/outer.yaml", "include: inner.yaml\n");
  auto text = PathmapText().text();
  text.erase(text.find("name: small\n"), 12);
  file("main.yaml", "include: [parts/outer.yaml]\n" + text);
  EXPECT_EQ(plan("main.yaml").name, "inner");
}

TEST_F(Includes, AFileIncludedTwiceIsReadOnce) {
  file("parts/threads.yaml", "application: {threads: c}\n");
  file("one.yaml", "include: parts/threads.yaml\n");
  file("main.yaml", "include: [one.yaml, parts/../parts/threads.yaml]\n" + PathmapText().text());
  EXPECT_THAT(plan("main.yaml").threads, SizeIs(3));
}

TEST_F(Includes, FaultsNameTheirFile) {
  file("parts/bad.yaml", "collect:\n  threshold: none\n");
  file("main.yaml", "include: parts/bad.yaml\n" + PathmapText().text());
  const auto faults = load("main.yaml").faults;
  ASSERT_THAT(faults, SizeIs(1));
  EXPECT_THAT(to_string(faults[0]), HasSubstr("parts/bad.yaml:2:14: error: found 'none' for 'threshold'"));
}

TEST_F(Includes, SectionsOfDifferentKindsAreFaults) {
  file("base.yaml", "cluster: {nodes: [n1]}\n");
  file("main.yaml", "include: base.yaml\n" + PathmapText().text());
  const auto faults = load("main.yaml").faults;
  ASSERT_THAT(faults, SizeIs(1));
  EXPECT_THAT(to_string(faults[0]),
              HasSubstr("base.yaml:1:18: error: found a list for 'nodes'; expected a mapping"));
}

TEST_F(Includes, AnEmptySectionRemovesNothing) {
  file("base.yaml", "limits: {lease: 5s}\n");
  file("main.yaml", "include: base.yaml\nlimits:\n" + PathmapText().text());
  EXPECT_EQ(plan("main.yaml").limits.lease, std::chrono::seconds(5));
}

TEST_F(Includes, DeeplyNestedIncludesAreRefused) {
  for (int i = 0; i < 30; ++i)
    file("f" + std::to_string(i) + ".yaml", "include: f" + std::to_string(i + 1) + ".yaml\n");
  const auto faults = load("f0.yaml").faults;
  ASSERT_THAT(faults, SizeIs(1));
  EXPECT_THAT(faults[0].text, HasSubstr("too deep: more than 16 nested includes"));
}

TEST_F(Includes, TheirTotalSizeIsBounded) {
  std::string list;
  for (int i = 0; i < 6; ++i) {
    file("big" + std::to_string(i) + ".yaml", "# " + std::string(1'000'000, 'x') + "\nname: big\n");
    list += "big" + std::to_string(i) + ".yaml, ";
  }
  file("main.yaml", "include: [" + list + "]\n" + PathmapText().text());
  const auto faults = load("main.yaml").faults;
  ASSERT_FALSE(faults.empty());
  EXPECT_THAT(faults[0].text, HasSubstr("all of them 4MiB"));
}

/// Drops the rights of root, which can read every file, for the lifetime of this object.
class NotRoot {
 public:
  NotRoot() {
    if (before_ == 0 && ::seteuid(nobody) != 0) throw std::runtime_error("root cannot become nobody");
  }
  ~NotRoot() { static_cast<void>(::seteuid(before_)); }
  NotRoot(const NotRoot&) = delete;
  NotRoot& operator=(const NotRoot&) = delete;

 private:
  static constexpr uid_t nobody = 65534;
  uid_t before_{::geteuid()};
};

TEST_F(Includes, UnreadableFilesAreFaults) {
  file("secret.yaml", "name: secret\n");
  fs::permissions(folder_ / "secret.yaml", fs::perms::none);
  fs::permissions(folder_, fs::perms(0755));
  const NotRoot somebody;
  EXPECT_THAT(load("secret.yaml").faults.at(0).text, HasSubstr("Permission denied"));
}

TEST_F(Includes, RequirePlanThrowsAllFaults) {
  file("bad.yaml", "pathmap: 1\nnmae: x\ncluster: 3\n");
  try {
    require_plan(folder_ / "bad.yaml");
    FAIL() << "no error";
  } catch (const ConfigurationError& error) {
    EXPECT_THAT(error.what(), HasSubstr("bad.yaml:2:1: error: unknown key 'nmae'"));
    EXPECT_THAT(error.what(), HasSubstr("bad.yaml:3:10: error: found '3' for cluster"));
  }
}

}  // namespace
}  // namespace eventspace
