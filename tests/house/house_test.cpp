#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <map>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include "tests/house/source_tree.h"

namespace eventspace::house {
namespace {

namespace fs = std::filesystem;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

// The folders of the libraries, lowest first. Each may include from itself and from those before it. The top
// folders must not include from each other, except that the Python module includes from the monitors.
const std::vector<std::string> libraries{"tuplespace", "paths", "collectors", "scopes", "pathmaps"};
const std::vector<std::string> tops{"monitors", "apps/windtunnel", "python"};

const std::vector<SourceFile>& sources() {
  static const std::vector<SourceFile> read = [] {
    std::vector<std::string> folders = libraries;
    folders.insert(folders.end(), tops.begin(), tops.end());
    return read_sources(SOURCE_DIR, folders);
  }();
  return read;
}

std::set<std::string> may_include(const std::string& folder) {
  const auto own = std::ranges::find(libraries, folder);
  std::set<std::string> allowed(libraries.begin(), own == libraries.end() ? own : own + 1);
  allowed.insert(folder);
  if (folder == "python") allowed.insert("monitors");
  return allowed;
}

std::string top_of(const std::string& include) { return SourceFile{include}.top_folder(); }

TEST(House, FoldersIncludeOnlyFromLowerFolders) {
  for (const SourceFile& source : sources()) {
    const auto allowed = may_include(source.top_folder());
    for (const std::string& include : source.includes) {
      EXPECT_TRUE(allowed.contains(top_of(include))) << source.path << " includes " << include;
    }
  }
}

TEST(House, IncludesBetweenSubfoldersPointOneWay) {
  const FolderGraph graph = folder_graph(sources());
  const auto circle = find_circle(graph);
  EXPECT_THAT(circle, IsEmpty()) << describe(circle, graph);
}

TEST(House, EachFolderHasFewerThanFortyFiles) {
  std::map<std::string, int> files;
  for (const SourceFile& source : sources()) ++files[source.folder()];
  for (const SourceFile& source : read_sources(SOURCE_DIR, {"tests", "bench"})) ++files[source.folder()];
  for (const auto& [folder, count] : files) EXPECT_LT(count, 40) << folder;
}

// Where tools write when they are started in the checkout: left-overs must not be committed.
TEST(House, TheTopLevelHoldsOnlyWhatBelongsThere) {
  const std::set<std::string> belongs{"CHANGELOG.md",
                                      "CMakeLists.txt",
                                      "CMakePresets.json",
                                      "CONTRIBUTING.md",
                                      "LICENSE",
                                      "README.md",
                                      "apps",
                                      "bench",
                                      "cmake",
                                      "collectors",
                                      "docs",
                                      "examples",
                                      "include",
                                      "monitors",
                                      "packaging",
                                      "pathmaps",
                                      "paths",
                                      "python",
                                      "scopes",
                                      "scripts",
                                      "tests",
                                      "tuplespace"};
  for (const auto& entry : fs::directory_iterator(SOURCE_DIR)) {
    const std::string name = entry.path().filename();
    const bool is_ignored = name.starts_with('.') || name.starts_with("build") || name == "out" ||
                            name == "compile_commands.json";
    EXPECT_TRUE(is_ignored || belongs.contains(name)) << name << " (see .gitignore)";
  }
}

// The folders in which a third-party library may be included, by the first letters of its headers.
TEST(House, ThirdPartyLibrariesAreIncludedOnlyWhereAllowed) {
  const std::map<std::string, std::set<std::string>> allowed{
      {"zmq", {"paths"}}, {"msgpack", {"tuplespace", "paths"}}, {"yaml-cpp", {"pathmaps"}}};
  for (const SourceFile& source : sources()) {
    for (const std::string& include : source.other_includes) {
      for (const auto& [library, folders] : allowed) {
        if (!include.starts_with(library)) continue;
        EXPECT_TRUE(folders.contains(source.top_folder())) << source.path << " includes " << include;
      }
    }
  }
}

// Monitors take the time of everything that they judge and print from their Timeline. Only the folders and
// files listed here may read the steady clock: waits of commands, processes and files of this machine,
// connections of browsers, measuring (tune, trials), the cost of watching and its budget, when a recorder
// reads, the speed of a replay, and how long an export takes.
TEST(House, MonitorsTakeTheTimeFromTheirTimeline) {
  const std::set<std::string> folders{
      "monitors/budget",          "monitors/cli",           "monitors/probing/balance",
      "monitors/probing/library", "monitors/probing/nodes", "monitors/probing/probes",
      "monitors/probing/tracing", "monitors/servers",       "monitors/tune",
      "monitors/web/http",        "monitors/web/steering",  "monitors/web/timeline"};
  const std::set<std::string> files{"monitors/archive/recorder.cpp",
                                    "monitors/delays/delay_watch.cpp",
                                    "monitors/export/export_command.cpp",
                                    "monitors/probing/work/probe_work.cpp",
                                    "monitors/probing/work/variable_phases.cpp",
                                    "monitors/running/run_recorder.cpp",
                                    "monitors/top/looker.cpp",
                                    "monitors/top/sampler.cpp",
                                    "monitors/top/playback.cpp",
                                    "monitors/watching/timeline.h",
                                    "monitors/watching/watch_cost.cpp",
                                    "monitors/watching/watch_pulls.cpp"};
  for (const SourceFile& source : sources()) {
    if (!source.path.starts_with("monitors/") || !source.reads_clock) continue;
    EXPECT_TRUE(folders.contains(source.folder()) || files.contains(source.path)) << source.path;
  }
}

// One function starts all threads of the libraries and monitors, so that all of them block signals.
TEST(House, ThreadsAreStartedByOneFunction) {
  std::vector<std::string> starting;
  for (const SourceFile& source : sources()) {
    if (source.starts_thread && source.top_folder() != "apps/windtunnel") starting.push_back(source.path);
  }
  EXPECT_THAT(starting, ElementsAre("tuplespace/system/library_thread.cpp"));
}

// --- the public headers, include/eventspace -------------------------------------------------------------

// The library that implements each header. A library includes its own headers and the headers of lower
// libraries.
const std::map<std::string, std::string> public_headers{{"deadline.h", "tuplespace"},
                                                        {"error.h", "tuplespace"},
                                                        {"operation.h", "tuplespace"},
                                                        {"tuple.h", "tuplespace"},
                                                        {"extend.h", "paths"},
                                                        {"loss.h", "paths"},
                                                        {"path.h", "paths"},
                                                        {"rank_set.h", "paths"},
                                                        {"stage.h", "paths"},
                                                        {"probe.h", "collectors"},
                                                        {"event_filter.h", "scopes"},
                                                        {"events.h", "scopes"},
                                                        {"packet.h", "scopes"},
                                                        {"stream_filter.h", "scopes"},
                                                        {"stream_network.h", "scopes"},
                                                        {"streams.h", "scopes"},
                                                        {"topology.h", "scopes"},
                                                        {"metric.h", "pathmaps"},
                                                        {"monitor.h", "pathmaps"},
                                                        {"pathmap.h", "pathmaps"},
                                                        {"recording.h", "pathmaps"},
                                                        {"session.h", "pathmaps"},
                                                        {"session_network.h", "pathmaps"},
                                                        {"probing.h", "monitors"}};
constexpr std::size_t max_public_headers = 24;
constexpr std::size_t max_lines_of_session = 800;  // of ours, comments included

const std::string public_prefix = "eventspace/";

std::string public_name(const std::string& path) { return path.substr(path.rfind('/') + 1); }

const std::vector<SourceFile>& public_sources() {
  static const std::vector<SourceFile> read = read_sources(SOURCE_DIR, {"include/eventspace"});
  return read;
}

// The names of the public headers that `source` includes.
std::vector<std::string> public_includes(const SourceFile& source) {
  std::vector<std::string> names;
  for (const std::string& include : source.other_includes)
    if (include.starts_with(public_prefix)) names.push_back(public_name(include));
  return names;
}

std::size_t level_of(const std::string& library) {
  return std::ranges::find(libraries, library) - libraries.begin();
}

TEST(PublicHeaders, AreThoseOfTheListAndFew) {
  std::set<std::string> found;
  for (const SourceFile& source : public_sources()) {
    EXPECT_EQ(source.folder(), "include/eventspace") << source.path;
    found.insert(public_name(source.path));
  }
  std::set<std::string> listed;
  for (const auto& [name, library] : public_headers) listed.insert(name);
  EXPECT_EQ(found, listed);
  EXPECT_LE(found.size(), max_public_headers);
}

TEST(PublicHeaders, IncludeTheStandardLibraryAndEachOther) {
  // C programs include probe.h. The headers of the C++ library have neither a dot nor a slash in their names.
  const std::set<std::string> of_c{"dlfcn.h",  "stddef.h", "stdint.h",  "stdio.h",
                                   "stdlib.h", "string.h", "sys/auxv.h"};
  for (const SourceFile& source : public_sources()) {
    EXPECT_THAT(source.includes, IsEmpty()) << source.path;
    for (const std::string& include : source.other_includes) {
      const bool is_standard = include.find_first_of("./") == std::string::npos;
      const bool is_of_c = public_name(source.path) == "probe.h" && of_c.contains(include);
      EXPECT_TRUE(is_standard || is_of_c || include.starts_with(public_prefix))
          << source.path << " includes " << include;
    }
  }
}

TEST(PublicHeaders, TheHeaderForCIncludesTheStandardLibrary) {
  const std::vector<SourceFile> all = read_sources(SOURCE_DIR, {"include"});
  std::map<std::string, std::vector<std::string>> outside;  // of include/eventspace
  for (const SourceFile& source : all)
    if (source.folder() == "include") outside[source.path] = source.other_includes;
  const std::vector<std::string> of_c{"stdbool.h", "stddef.h", "stdint.h"};
  EXPECT_THAT(outside, ElementsAre(std::pair(std::string("include/eventspace.h"), of_c)));
}

TEST(PublicHeaders, AreIncludedFromTheLibraryThatImplementsThemAndHigherOnes) {
  for (const auto* const all : {&sources(), &public_sources()}) {
    for (const SourceFile& source : *all) {
      const bool is_public = source.top_folder() == "include";
      const std::string library =
          is_public ? public_headers.at(public_name(source.path)) : source.top_folder();
      for (const std::string& name : public_includes(source)) {
        EXPECT_LE(level_of(public_headers.at(name)), level_of(library))
            << source.path << " includes " << name;
      }
    }
  }
}

TEST(PublicHeaders, SessionPullsFewLines) {
  std::vector<std::string> open{"session.h"};
  std::set<std::string> seen{"session.h"};
  std::size_t lines = 0;
  while (!open.empty()) {
    const auto source =
        std::ranges::find(public_sources(), "include/eventspace/" + open.back(), &SourceFile::path);
    ASSERT_NE(source, public_sources().end()) << open.back();
    open.pop_back();
    std::ifstream file(fs::path(SOURCE_DIR) / source->path);
    for (std::string line; std::getline(file, line);) ++lines;
    for (const std::string& name : public_includes(*source))
      if (seen.insert(name).second) open.push_back(name);
  }
  EXPECT_GT(lines, 0u);
  EXPECT_LE(lines, max_lines_of_session);
}

// --- targets and tests ----------------------------------------------------------------------------------

// Kinds of targets can be added without changes in paths/: nothing there, except views/, depends on views or
// pulls.
TEST(House, PathsDoNotKnowPulls) {
  for (const SourceFile& source : sources()) {
    if (source.top_folder() != "paths" || source.folder() == "paths/views") continue;
    for (const std::string& include : source.includes) {
      if (!include.starts_with("paths/views/")) continue;
      EXPECT_EQ(include, "paths/views/clock_relation.h") << source.path;
    }
  }
}

TEST(House, TestsMirrorTheFolders) {
  for (const char* const folder : {"tuplespace", "paths", "collectors", "scopes", "pathmaps", "monitors"}) {
    for (const SourceFile& test : read_sources(SOURCE_DIR, {std::string("tests/") + folder})) {
      const std::string mirrored = test.folder().substr(std::string("tests/").size());
      EXPECT_TRUE(fs::is_directory(fs::path(SOURCE_DIR) / mirrored)) << test.path;
    }
  }
}

// --- what docs/architecture.md says ---------------------------------------------------------------------

// The lines of the page's list of folders, by the top-level folder that they stand under; from each, the
// words that end with a slash.
std::map<std::string, std::set<std::string>> folders_on_page() {
  std::ifstream page(fs::path(SOURCE_DIR) / "docs" / "architecture.md");
  std::map<std::string, std::set<std::string>> found;
  std::string top;
  bool is_inside = false;
  for (std::string line; std::getline(page, line) && !(is_inside && line == "```");) {
    if (line == "```") is_inside = true;
    if (!is_inside || line == "```") continue;
    std::istringstream words(line);
    for (std::string word; words >> word;) {
      word.erase(word.find_last_not_of(",.;:") + 1);
      if (!word.ends_with('/')) continue;
      word.pop_back();
      if (line.starts_with(word)) {
        top = word;
      } else {
        found[top].insert(word);
      }
    }
  }
  return found;
}

std::set<std::string> folders_below(const fs::path& top) {
  std::set<std::string> folders;
  for (const auto& entry : fs::recursive_directory_iterator(top))
    if (entry.is_directory()) folders.insert(entry.path().lexically_relative(top).string());
  return folders;
}

// A folder is named from its top-level folder on, or by its last name: symbols/ of monitors/probing/.
bool names(const std::string& word, const std::string& folder) {
  return folder == word || folder.ends_with("/" + word);
}

TEST(ArchitecturePage, NamesEachFolderAndNoOther) {
  auto on_page = folders_on_page();
  std::vector<std::string> all = libraries;
  all.insert(all.end(), tops.begin(), tops.end());
  for (const std::string& top : all) {
    const std::set<std::string> folders = folders_below(fs::path(SOURCE_DIR) / top);
    const std::set<std::string>& words = on_page[top];
    for (const std::string& folder : folders)
      EXPECT_TRUE(std::ranges::any_of(words, [&](const auto& word) { return names(word, folder); }))
          << "the page lacks " << top << '/' << folder;
    for (const std::string& word : words)
      EXPECT_TRUE(std::ranges::any_of(folders, [&](const auto& folder) { return names(word, folder); }))
          << "the page names " << word << " under " << top << ", which is not there";
  }
}

// --- and that these tests would notice -----------------------------------------------------------------

SourceFile file(std::string path, std::vector<std::string> includes) {
  return {std::move(path), std::move(includes)};
}

TEST(FindCircle, ReturnsTheFoldersOfTheCircle) {
  const FolderGraph graph = folder_graph({file("a/one.h", {"b/two.h"}), file("b/two.h", {"b/c/three.h"}),
                                          file("b/c/three.h", {"b/four.h"}), file("b/four.h", {})});
  const auto circle = find_circle(graph);
  EXPECT_THAT(circle, ElementsAre("b", "b/c", "b"));
  EXPECT_EQ(describe(circle, graph),
            "b -> b/c: b/two.h includes b/c/three.h\nb/c -> b: b/c/three.h includes b/four.h\n");
}

TEST(FindCircle, TwoRoutesToOneFolderAreNoCircle) {
  const FolderGraph graph = folder_graph({file("a/x.h", {"b/x.h", "c/x.h"}), file("b/x.h", {"d/x.h"}),
                                          file("c/x.h", {"d/x.h"}), file("d/x.h", {})});
  EXPECT_THAT(find_circle(graph), IsEmpty());
}

TEST(ReadSources, FindsIncludes) {
  const auto& all = sources();
  const auto found = std::ranges::find(all, std::string("paths/links/network_context.h"), &SourceFile::path);
  ASSERT_NE(found, all.end());
  EXPECT_EQ(found->folder(), "paths/links");
  EXPECT_THAT(found->other_includes, ::testing::Contains("zmq.hpp"));
}

}  // namespace
}  // namespace eventspace::house
