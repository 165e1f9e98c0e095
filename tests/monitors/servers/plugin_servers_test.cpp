#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <sstream>

#include "tests/monitors/workplace.h"

// Servers of their own that load scope wrappers from shared objects, as pathmaps name them.
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

TEST_F(PluginServers, ALibraryThatCannotBeLoadedIsAFaultForCheckAndServe) {
  const auto map = pathmap("no_entry");
  for (const auto& arguments :
       std::vector<std::vector<std::string>>{{"check", map}, {"serve", map, "--node", "n1"}}) {
    auto command = call(arguments);
    EXPECT_EQ(command.status(), 2) << arguments.front();
    EXPECT_THAT(command.out() + command.err(), HasSubstr("has no entry 'eventspace_scope_wrapper'"));
  }
}

}  // namespace
}  // namespace eventspace
