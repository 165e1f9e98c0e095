#include <nlohmann/json.hpp>

#include "tests/monitors/json_lines.h"
#include "tests/monitors/workplace.h"

// Questions on the command line beside a running application: threads a (process p0, node n1) and b (p1, n2),
// each writing to its path "log" about every millisecond. The pathmap has only the check's scopes.
namespace eventspace {
namespace {

using testing::AllOf;
using testing::Each;
using testing::HasSubstr;
using testing::SizeIs;
using testing_commands::Call;
using testing_commands::lines_of;
using testing_commands::objects_in;

class Questions : public testing_commands::Workplace {
 protected:
  void begin() {
    start_servers_of(pathmap_);
    application_.emplace(start_application_of(pathmap_, {TINY_APP}));
  }
  Call ask(const std::string& command, const std::vector<std::string>& options) {
    std::vector<std::string> arguments{command, pathmap_};
    arguments.insert(arguments.end(), options.begin(), options.end());
    return call(arguments);
  }

  std::filesystem::path pathmap_ = tiny();
  std::optional<Call> application_;
};

TEST_F(Questions, AreAnsweredWithoutAScopeOfThePathmap) {
  begin();
  auto events =
      ask("events", {"--where", "thread == 'b' and verb == 'write'", "--count", "5", "--timeout", "30s"});
  EXPECT_EQ(events.status(), 0) << events.err();
  EXPECT_THAT(lines_of(events.out()), SizeIs(5));
  EXPECT_THAT(lines_of(events.out()), Each(HasSubstr(" b ")));

  auto largest = ask("values", {"--of", "bytes", "--by", "thread", "--as", "max", "--count", "1", "--timeout",
                                "30s", "--format", "json"});
  const auto values = objects_in(largest.out());
  ASSERT_THAT(values, SizeIs(2)) << largest.err();
  EXPECT_EQ(values[0]["group"], "a");
  EXPECT_EQ(values[1]["group"], "b");
  EXPECT_EQ(values[1]["reduction"], "max");

  auto heartbeat = ask("heartbeat", {"--once", "--threads", "a", "--stall", "30s", "--timeout", "30s"});
  EXPECT_EQ(heartbeat.status(), 0) << heartbeat.err();
  EXPECT_THAT(heartbeat.out(), HasSubstr("1 thread: 1 running"));
  auto top = ask("top", {"--once", "--threads", "b", "--paths", "log", "--stall", "30s", "--timeout", "30s"});
  EXPECT_EQ(top.status(), 0) << top.err();
  EXPECT_THAT(top.out(), AllOf(HasSubstr("1 thread: 1 running"), HasSubstr("\n  b  ")));
}

TEST_F(Questions, TheLastEventsAreThoseThatEndedLastInOrder) {
  begin();
  auto enough = ask("events", {"--count", "100", "--quiet", "--timeout", "30s"});
  ASSERT_EQ(enough.status(), 0) << enough.err();
  auto events =
      ask("events", {"--last", "20", "--where", "not in_flight", "--timeout", "30s", "--format", "json"});
  EXPECT_EQ(events.status(), 0) << events.err();
  const auto objects = objects_in(events.out());
  ASSERT_THAT(objects, SizeIs(20));
  const auto end_of = [](const nlohmann::json& event) {
    return event["start_ns"].get<double>() + event["duration_ns"].get<double>();
  };
  for (std::size_t i = 1; i < objects.size(); ++i)
    EXPECT_GE(end_of(objects[i]) + 1e3, end_of(objects[i - 1]));
}

TEST_F(Questions, ThatMatchNothingAreErrorsBeforeAnyServerIsAsked) {
  auto events = ask("events", {"--threads", "zz*"});
  EXPECT_EQ(events.status(), 2);
  EXPECT_THAT(events.err(), HasSubstr("--threads 'zz*' matches no thread"));
  auto top = ask("top", {"--once", "--paths", "zz*"});
  EXPECT_EQ(top.status(), 2);
  EXPECT_THAT(top.err(), HasSubstr("--paths 'zz*' matches no path"));
  auto values = ask("values", {"--where", "durration > 1s"});
  EXPECT_EQ(values.status(), 2);
  EXPECT_THAT(values.err(),
              HasSubstr("--where: column 1: unknown field 'durration'; did you mean 'duration'?"));
}

}  // namespace
}  // namespace eventspace
