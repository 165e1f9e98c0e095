#include <signal.h>

#include <algorithm>
#include <optional>
#include <set>

#include "tests/monitors/json_lines.h"
#include "tests/monitors/workplace.h"

// The monitors on the paths of scopes: scope "observed" gathers threads a (node n1) and b (n2) on n1; scopes
// "observer" and "pulls" show the work of its parts.
namespace eventspace {
namespace {

using testing::HasSubstr;
using testing::SizeIs;
using testing_commands::Call;
using testing_commands::eventually;
using testing_commands::objects_in;
using Json = nlohmann::json;

class OwnPathsCommands : public testing_commands::Workplace {
 protected:
  /// Starts servers, the application, and a monitor that pulls continuously through the scope.
  void start_all() {
    start_servers_of(pathmap_);
    application_.emplace(start_application_of(pathmap_, {TINY_APP}));
    monitor_.emplace(start({"events", pathmap_, "--scope", "observed", "--interval", "10ms"}));
    ASSERT_TRUE(monitor_->says("write log")) << monitor_->err();
  }

  void signal_server(const std::string& node, int number) {
    const auto of_node = processes_with(node);
    for (const int pid : processes_with("serve")) {
      if (std::ranges::find(of_node, pid) == of_node.end()) continue;
      ASSERT_EQ(::kill(pid, number), 0);
    }
  }

  /// Runs the heartbeat until it reports `verdict` for `part`. Returns its output then.
  std::vector<Json> see(const std::string& part, const std::string& verdict) {
    std::vector<Json> objects;
    const bool seen = eventually([&] {
      auto heartbeat = call(
          {"heartbeat", pathmap_, "--scope", "observer", "--once", "--stall", "500ms", "--format", "json"});
      objects = objects_in(heartbeat.out());
      return std::ranges::any_of(objects, [&](const Json& object) {
        return object["type"] == "thread" && object["thread"] == part && object["verdict"] == verdict;
      });
    });
    EXPECT_TRUE(seen) << part << " is never " << verdict << ": " << Json(objects).dump(1);
    return objects;
  }

  std::filesystem::path pathmap_ =
      tiny(testing_commands::free_port(), testing_commands::free_port(),
           "  observed:\n    read: next\n    timeout: 2min\n    collect: {threshold: 5000}\n"
           "    tree:\n      name: whole\n      on: consumer\n      wrapper: gather\n      children:\n"
           "        - {name: gateway, on: n1, wrapper: gather, sources: [{threads: \"*\"}]}\n"
           "  observer: {of: observed, timeout: 2s, shape: by-node}\n"
           "  pulls: {of: observed, read: next, timeout: 2s, shape: by-node}\n");
  std::optional<Call> application_;
  std::optional<Call> monitor_;
};

TEST_F(OwnPathsCommands, EventsListsThePullsOfAScopesParts) {
  start_all();
  std::set<std::string> paths;
  const auto add_paths = [&] {
    auto events = call({"events", pathmap_, "--scope", "pulls", "--count", "18", "--format", "json"});
    EXPECT_EQ(events.status(), 0) << events.err();
    const auto objects = objects_in(events.out());
    EXPECT_THAT(objects, SizeIs(18));
    for (const Json& object : objects) {
      EXPECT_EQ(object["verb"], "pull");
      EXPECT_GT(object["duration_ns"], 0.0);
      paths.insert(object["thread"].get<std::string>() + " " + object["path"].get<std::string>() + " " +
                   object["point"].get<std::string>());
    }
    return paths.size() >= 3;
  };
  ASSERT_TRUE(testing_commands::eventually(add_paths));
  EXPECT_EQ(paths,
            (std::set<std::string>{"scopes/observed/n1 answer element", "scopes/observed/n1 ask/n2 thread",
                                   "scopes/observed/n2 answer element"}));
}

TEST_F(OwnPathsCommands, HeartbeatNamesThePartThatIsStuckInAPullAndTheOneItWaitsFor) {
  start_all();
  see("scopes/observed/n1", "running");
  signal_server("n2", SIGSTOP);
  const auto stuck = see("scopes/observed/n1", "stuck in operation");
  for (const Json& object : stuck) {
    if (object["type"] == "pull") {
      ASSERT_THAT(object["culprits"], SizeIs(1));
      EXPECT_EQ(object["culprits"][0]["thread"], "scopes/observed/n2");
      EXPECT_EQ(object["culprits"][0]["verdict"], "unreachable");
      EXPECT_EQ(object["culprits"][0]["waiting"], 1);
    } else if (object["thread"] == "scopes/observed/n1") {
      EXPECT_EQ(object["in_flight"]["verb"], "pull");
      EXPECT_EQ(object["in_flight"]["path"], "ask/n2");
      EXPECT_EQ(object["in_flight"]["peer"], "scopes/observed/n2");
    }
  }
  signal_server("n2", SIGCONT);
  see("scopes/observed/n1", "running");
  see("scopes/observed/n2", "running");
}

TEST_F(OwnPathsCommands, CheckCountsThem) {
  auto check = call({"check", pathmap_});
  EXPECT_EQ(check.status(), 0) << check.err();
  EXPECT_THAT(check.out(), HasSubstr("2 threads, 2 elements, 2 paths, "));
  EXPECT_THAT(check.out(), HasSubstr("4 scopes (2 parts with 3 paths)"));
  const auto objects = objects_in(call({"check", pathmap_, "--format", "json"}).out());
  ASSERT_THAT(objects, SizeIs(1));
  EXPECT_EQ(objects[0]["scope_parts"], 2);
  EXPECT_EQ(objects[0]["scope_paths"], 3);
}

}  // namespace
}  // namespace eventspace
