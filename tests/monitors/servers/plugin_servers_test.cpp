#include <fmt/format.h>

#include <unistd.h>

#include <filesystem>
#include <nlohmann/json.hpp>
#include <sstream>

#include "tests/monitors/workplace.h"

// Separate servers that load scope wrappers from shared objects, as pathmaps specify.
namespace eventspace {
namespace {

using testing::HasSubstr;

class PluginServers : public testing_commands::Workplace {
 protected:
  /// A tiny application, and scopes with wrappers of `library` on the servers.
  [[nodiscard]] std::filesystem::path pathmap(const std::string& library = "odd_wrapper") const {
    const std::string odd = std::string(EVENTSPACE_PLUGINS) + "/" + library + ".so";
    return tiny(testing_commands::free_port(), testing_commands::free_port(),
                "  odd: {read: next, levels: [{group: all, wrapper: gather}, {group: node, wrapper: odd}]}\n"
                "  hangs: {read: next, levels: [{group: all, wrapper: gather},\n"
                "           {group: node, wrapper: {brief: {do: hang, file: /nowhere/at/all}}}]}\n"
                "wrappers:\n"
                "  odd: {limit: 1min, library: " +
                    odd + "}\n" + "  brief: {limit: 1ms, library: " + odd + "}\n");
  }
};

TEST_F(PluginServers, AServersLevelRunsTheWrapperAndTheMonitorSeesItsEffect) {
  const auto map = pathmap();
  start_servers_of(map);
  const auto application = start_application_of(map, {TINY_APP});

  auto events = call({"events", map, "--scope", "odd", "--count", "40", "--format", "json"});
  EXPECT_EQ(events.status(), 0) << events.err();
  std::istringstream lines(events.out());
  int count = 0;
  for (std::string line; std::getline(lines, line); ++count)
    EXPECT_EQ(nlohmann::json::parse(line).at("sequence").get<int>() % 2, 1) << line;
  EXPECT_EQ(count, 40);

  // A wrapper that never returns is named. The server still serves other scopes, and can be stopped.
  auto hangs = call({"events", map, "--scope", "hangs", "--for", "500ms"});
  EXPECT_THAT(hangs.err(), HasSubstr("missing at times: wrapper brief of node n1"));
  auto others = call({"events", map, "--scope", "odd", "--count", "10"});
  EXPECT_EQ(others.status(), 0) << others.err();
  auto down = call({"down", map});
  EXPECT_EQ(down.status(), 0) << down.out() << down.err();
}

TEST_F(PluginServers, ARecordingSaysThatItHasNoScopesThatMayNeedTheSharedObject) {
  const auto map = pathmap();
  start_servers_of(map);
  const auto application = start_application_of(map, {TINY_APP});
  auto record = call({"snapshot", map, "-o", file("run.evs")});
  ASSERT_EQ(record.status(), 0) << record.err();
  auto asked = call({"events", file("run.evs"), "--scope", "odd"});
  EXPECT_EQ(asked.status(), 2);
  EXPECT_THAT(asked.err(), HasSubstr("does not contain scope 'odd': its pathmap names shared objects"));
  auto unknown = call({"events", file("run.evs"), "--scope", "even"});
  EXPECT_THAT(unknown.err(), HasSubstr("has no scope 'even'"));
  auto without = call({"events", file("run.evs"), "--last", "3", "--format", "csv"});
  EXPECT_EQ(without.status(), 0) << without.err();
  auto down = call({"down", map});
  EXPECT_EQ(down.status(), 0) << down.out() << down.err();
}

TEST_F(PluginServers, ALibraryThatCannotBeLoadedIsAFaultForCheckAndServe) {
  const auto map = pathmap("no_entry");
  for (const auto& arguments :
       std::vector<std::vector<std::string>>{{"check", map}, {"serve", map, "--node", "n1"}}) {
    auto command = call(arguments);
    EXPECT_EQ(command.status(), 2) << arguments.front();
    EXPECT_THAT(command.out() + command.err(), HasSubstr("has no entry 'eventspace_scope_wrapper'"));
  }
}

TEST_F(PluginServers, CheckListsTheLoadedLibrariesAndTheCommands) {
  const auto map = pathmap();
  const auto file = std::filesystem::canonical(std::string(EVENTSPACE_PLUGINS) + "/odd_wrapper.so").string();
  auto loading = call({"check", map});
  EXPECT_EQ(loading.status(), 0) << loading.err();
  EXPECT_THAT(loading.out(), HasSubstr("\nwrapper odd is loaded from " + file + "\n"));

  std::string text = testing_commands::read_text(map);
  text.replace(text.find("    n2: {"), 9, "    n2: {launch: [touch, " + this->file("ran").string() + "], ");
  const auto launched = write("launched.yaml", text);
  auto unloaded = call({"check", launched, "--no-load"});
  EXPECT_EQ(unloaded.status(), 0) << unloaded.err();
  EXPECT_THAT(unloaded.out(), HasSubstr("2 trace elements, scopes not built\n"));
  EXPECT_THAT(unloaded.out(), HasSubstr("\nwrapper brief would be loaded from " + file + "\n"));
  EXPECT_THAT(unloaded.out(),
              HasSubstr("\nnode n2 is started with: touch " + this->file("ran").string() + "\n"));
  EXPECT_FALSE(std::filesystem::exists(this->file("ran")));

  auto json = call({"check", launched, "--no-load", "--format", "json"});
  const auto object = nlohmann::json::parse(json.out());
  EXPECT_EQ(object.at("libraries"), nlohmann::json::array({{{"wrapper", "odd"}, {"file", file}},
                                                           {{"wrapper", "brief"}, {"file", file}}}));
  EXPECT_EQ(object.at("launchers").at(0).at("command").at(0), "touch");
}

TEST_F(PluginServers, CheckWithoutLoadingRunsNoCodeOfASharedObject) {
  const auto map = pathmap("no_entry");
  ::setenv("EVENTSPACE_TESTS_MARK", file("mark").c_str(), 1);
  auto unloaded = call({"check", map, "--no-load"});
  EXPECT_EQ(unloaded.status(), 0) << unloaded.err();
  EXPECT_FALSE(std::filesystem::exists(file("mark")));
  EXPECT_EQ(call({"check", map}).status(), 2);
  EXPECT_TRUE(std::filesystem::exists(file("mark")));
  ::unsetenv("EVENTSPACE_TESTS_MARK");
}

// The other user has put a shared object into /tmp, and its pathmap refers to it; and the same the other way
// round.
TEST_F(PluginServers, NoUserLoadsASharedObjectOfAnother) {
  if (::geteuid() != 0) GTEST_SKIP() << "only root can be two users";
  const std::filesystem::path odd = file("odd.so");
  std::filesystem::copy_file(std::string(EVENTSPACE_PLUGINS) + "/no_entry.so", odd);
  const auto map = tiny(1, 2, "wrappers: {odd: {library: " + odd.string() + "}}\n");
  std::filesystem::permissions(file(""), std::filesystem::perms(0755));
  ::setenv("EVENTSPACE_TESTS_MARK", file("mark").c_str(), 1);
  ASSERT_EQ(::chown(odd.c_str(), 4711, 4711), 0);
  for (const std::vector<std::string>& user :
       {std::vector<std::string>{}, {"setpriv", "--reuid", "65534", "--regid", "65534", "--clear-groups"}}) {
    for (const char* option : {"--no-load", "--format=text"}) {
      auto check = start({"check", map, option}, user);
      EXPECT_EQ(check.status(), 2) << check.out();
      EXPECT_THAT(check.err(), HasSubstr(odd.string() + " belongs to another user (id 4711)"));
    }
  }
  EXPECT_FALSE(std::filesystem::exists(file("mark")));
  ::unsetenv("EVENTSPACE_TESTS_MARK");
}

}  // namespace
}  // namespace eventspace
