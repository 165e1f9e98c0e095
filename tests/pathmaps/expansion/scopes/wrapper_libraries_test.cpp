#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "scopes/wrappers/plugin.h"
#include "tests/pathmaps/expansion/scopes/tree_text.h"
#include "tests/pathmaps/pathmap_text.h"
#include "tests/tuplespace/temporary_directory.h"

// `wrappers:`, that is, scope wrappers from shared objects, and its faults. Faults that do not need a shared
// object are tested in faulty/.

namespace eventspace {
namespace {

namespace fs = std::filesystem;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

const fs::path plugins = EVENTSPACE_PLUGINS;

/// Returns a pathmap with these `wrappers:`, and a scope of one level with `wrapper`.
std::string text_with(const std::string& wrappers, const std::string& wrapper = "gather") {
  return PathmapText().scopes("  s: {levels: [{group: all, wrapper: " + wrapper + "}]}\n").text() +
         "wrappers:\n" + wrappers;
}

std::string library(const std::string& name, const std::string& called = "odd") {
  return "  " + called + ": {library: " + (plugins / (name + ".so")).string() + "}\n";
}

std::vector<std::string> faults_of(const std::string& text) {
  std::vector<std::string> faults;
  for (const Fault& fault : parse_plan(text, "odd.yaml").faults) faults.push_back(to_string(fault));
  return faults;
}

TEST(WrapperLibraries, AreNamedByThePathmapAndUsedOnLevels) {
  const auto result = parse_plan(text_with(library("odd_wrapper"), "{odd: {do: keep-odd}}"), "odd.yaml");
  ASSERT_THAT(result.faults, IsEmpty());
  EXPECT_EQ(tree_text(*result.plan, result.plan->scopes[0].root),
            "all: odd\n  read of all on node n1: read [a/out@thread b/in@thread] on n1\n");
  ASSERT_EQ(result.plan->wrappers.size(), 1U);
  EXPECT_EQ(result.plan->wrappers[0].name, "odd");
  EXPECT_EQ(result.plan->wrappers[0].limit, std::chrono::milliseconds(100));
}

TEST(WrapperLibraries, OneLibraryMayHaveSeveralNamesAndLimits) {
  const auto file = (plugins / "odd_wrapper.so").string();
  const auto result = parse_plan(
      text_with("  odd: {library: " + file + "}\n  slow: {library: " + file + ", limit: 2s}\n"), "odd.yaml");
  ASSERT_THAT(result.faults, IsEmpty());
  EXPECT_EQ(result.plan->wrappers[1].name, "slow");
  EXPECT_EQ(result.plan->wrappers[1].limit, std::chrono::seconds(2));
}

TEST(WrapperLibraries, BelongToOnePathmapOnly) {
  ASSERT_THAT(faults_of(text_with(library("odd_wrapper"), "odd")), IsEmpty());
  EXPECT_THAT(faults_of(text_with("  {}\n", "odd")), ElementsAre(HasSubstr("unknown scope wrapper 'odd'")));
}

TEST(WrapperLibraries, AreOnInsertedNodesIfTheyDeclareAFormForPartialViews) {
  auto text = text_with(library("odd_wrapper"));
  text += "  # no more\n";
  const auto result = parse_plan(
      PathmapText()
              .cluster("  nodes:\n    n1: {host: h, port: 1}\n    n2: {host: h, port: 2}\n    n3: {host: h, "
                       "port: 3}\n")
              .application(
                  "  threads: [\"t[1-3]\"]\n  elements: [{name: \"e/{thread}\", for: \"*\", tuple: [int]}]\n"
                  "  paths: [{thread: \"*\", name: p, element: \"e/{thread}\"}]\n")
              .placement("  processes:\n    p1: {node: n1, threads: t1}\n    p2: {node: n2, threads: t2}\n"
                         "    p3: {node: n3, threads: t3}\n")
              .scopes("  s: {levels: [{group: all, arity: 2, wrapper: odd}]}\n")
              .text() +
          "wrappers:\n" + library("odd_wrapper"),
      "odd.yaml");
  ASSERT_THAT(result.faults, IsEmpty());
  EXPECT_EQ(result.plan->scopes[0].root.children[0].wrapper, "odd");
}

TEST(WrapperLibraries, APathIsRelativeToTheFileThatContainsIt) {
  const test::TemporaryDirectory directory;
  const auto write = [](const fs::path& file, const std::string& text) { std::ofstream(file) << text; };
  fs::create_directories(directory.path() / "parts");
  fs::create_symlink(plugins / "odd_wrapper.so", directory.path() / "parts" / "odd.so");
  write(directory.path() / "parts" / "wrappers.yaml", "wrappers: {odd: {library: odd.so}}\n");
  write(directory.path() / "main.yaml",
        PathmapText().scopes("  s: {shape: flat, wrapper: odd}\n").text() + "include: parts/wrappers.yaml\n");
  const auto result = load_plan(directory.path() / "main.yaml");
  for (const Fault& fault : result.faults) ADD_FAILURE() << to_string(fault);
  write(directory.path() / "main.yaml", PathmapText().text() + "wrappers: {odd: {library: odd.so}}\n");
  EXPECT_THAT(load_plan(directory.path() / "main.yaml").faults.at(0).text,
              HasSubstr("no such file: '" + (directory.path() / "odd.so").string()));
}

TEST(WrapperLibraries, TheirParametersAreChecked) {
  EXPECT_THAT(faults_of(text_with(library("odd_wrapper"), "{odd: {do: sing, file: 3}}")),
              ElementsAre(HasSubstr("keep-odd, throw, hang, refuse")));
  EXPECT_THAT(faults_of(text_with(library("odd_wrapper"), "{odd: {dou: throw}}")),
              ElementsAre(HasSubstr("unknown parameter 'dou' of 'odd'; did you mean 'do'?")));
  EXPECT_THAT(faults_of(text_with(library("odd_wrapper"), "{odd: {do: refuse}}")),
              ElementsAre(HasSubstr("'odd' cannot be made: it cannot be done")));
}

TEST(WrapperLibraries, AnUnusableLibraryIsAFaultAtItsPlace) {
  const auto fault = [](const std::string& name) {
    const auto faults = faults_of(text_with(library(name), "odd"));
    EXPECT_EQ(faults.size(), 1U);
    return faults.empty() ? "" : faults.front();
  };
  EXPECT_THAT(fault("no_entry"), testing::AllOf(HasSubstr("odd.yaml:18:18: error: wrapper 'odd': "),
                                                HasSubstr("has no entry 'eventspace_scope_wrapper'")));
  EXPECT_THAT(fault("other_version"),
              HasSubstr(fmt::format("has version {} of the plugin interface; this program expects version {}",
                                    plugin::abi + 1, plugin::abi)));
  EXPECT_THAT(fault("other_layout"),
              testing::AllOf(HasSubstr(
                  "was built with a compiler of the year 3000; this program expects libstdc++ of ABI")));
  EXPECT_THAT(fault("without_description"), HasSubstr("does not describe its wrapper: words fail me"));
}

TEST(WrapperLibraries, AnApplicationDoesNotLoadThem) {
  const auto text = text_with(library("no_entry"), "odd");
  const auto result = parse_plan(text, "odd.yaml", {.for_scopes = false});
  ASSERT_THAT(result.faults, IsEmpty());
  EXPECT_THAT(result.plan->wrappers, IsEmpty());
  EXPECT_THAT(result.plan->scopes, IsEmpty());
}

/// The shared object no_entry, which leaves a mark when it is loaded, in a separate directory of the test.
class LibraryThatIsNotLoaded : public testing::Test {
 protected:
  LibraryThatIsNotLoaded() {
    fs::copy_file(plugins / "no_entry.so", file);
    ::setenv("EVENTSPACE_TESTS_MARK", mark.c_str(), 1);
  }
  ~LibraryThatIsNotLoaded() override {
    ::unsetenv("EVENTSPACE_TESTS_MARK");
    EXPECT_FALSE(fs::exists(mark));
  }
  [[nodiscard]] std::string text(const std::string& wrapper = "odd") const {
    return text_with("  odd: {library: " + file.string() + "}\n", wrapper);
  }

  const test::TemporaryDirectory directory;
  const fs::path file = fs::canonical(directory.path()) / "odd.so";
  const fs::path mark = directory.path() / "mark";
};

TEST_F(LibraryThatIsNotLoaded, IsOneThatOthersCouldChange) {
  fs::permissions(file, fs::perms::others_write, fs::perm_options::add);
  EXPECT_THAT(
      faults_of(text()),
      ElementsAre(HasSubstr("odd.yaml:18:18: error: wrapper 'odd': is not loaded, as its code would run "
                            "with your rights: " +
                            file.string() + " can be changed by other users (mode ")));
  fs::permissions(file, fs::perms::others_write, fs::perm_options::remove);
  fs::permissions(directory.path(), fs::perms::others_write, fs::perm_options::add);
  EXPECT_THAT(faults_of(text()), ElementsAre(HasSubstr("can be changed by other users")));
  EXPECT_THAT(parse_plan(text(), "odd.yaml").libraries, IsEmpty());
}

TEST_F(LibraryThatIsNotLoaded, IsOneOfAnotherUser) {
  if (::geteuid() != 0) GTEST_SKIP() << "only root can give a file away";
  ASSERT_EQ(::chown(file.c_str(), 65534, 65534), 0);
  EXPECT_THAT(faults_of(text()), ElementsAre(HasSubstr("odd.so belongs to another user (id 65534)")));
}

TEST_F(LibraryThatIsNotLoaded, IsAnyIfOnlyAskedToCheckAndTheRestIsChecked) {
  const LoadOptions no_load{.load_libraries = false};
  const auto fine = parse_plan(text("{odd: {any: 1}}"), "odd.yaml", no_load);
  ASSERT_THAT(fine.faults, IsEmpty());
  EXPECT_THAT(fine.libraries, ElementsAre(NamedLibrary{"odd", file}));
  EXPECT_THAT(fine.plan->scopes, IsEmpty());
  EXPECT_THAT(fine.plan->wrappers, IsEmpty());

  const auto faulty = parse_plan(text("ode"), "odd.yaml", no_load);
  ASSERT_EQ(faulty.faults.size(), 1U);
  EXPECT_THAT(faulty.faults[0].text, HasSubstr("unknown scope wrapper 'ode'"));
  EXPECT_THAT(faulty.libraries, ElementsAre(NamedLibrary{"odd", file}));
  EXPECT_THAT(parse_plan(text() + "more: 1\n", "odd.yaml", no_load).faults, testing::SizeIs(1));
}

TEST_F(LibraryThatIsNotLoaded, IsNoReasonForFaultsInScopesThatObserveOthers) {
  const auto text =
      PathmapText()
          .scopes(
              "  s: {collect: {threshold: 10}, levels: [{group: all, wrapper: gather}, {group: node, "
              "wrapper: odd}]}\n"
              "  of-s: {of: s, levels: [{group: all, wrapper: gather}]}\n")
          .text() +
      "wrappers:\n  odd: {library: " + file.string() + "}\n";
  for (const Fault& fault : parse_plan(text, "odd.yaml", {.load_libraries = false}).faults)
    ADD_FAILURE() << to_string(fault);
}

}  // namespace
}  // namespace eventspace
