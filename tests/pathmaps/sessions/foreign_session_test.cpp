#include <fmt/format.h>
#include <gmock/gmock.h>

#include <eventspace/session.h>
#include "pathmaps/pathmap.h"
#include "pathmaps/sessions/consumer.h"
#include "pathmaps/sessions/node_server.h"
#include "tests/paths/server_talk.h"
#include "tests/tuplespace/temporary_directory.h"
#include "tests/tuplespace/variable.h"

// Two sessions of one pathmap whose nodes have ports and no keys, so that each reaches the servers of the
// other.

namespace eventspace {
namespace {

using namespace std::chrono_literals;

std::shared_ptr<const Plan> plan_without_keys() {
  LoadResult loaded = parse_plan(fmt::format(R"(
pathmap: 1
name: morning
security: none
cluster: {{nodes: {{n1: {{host: 127.0.0.1, port: {}}}}}}}
application:
  threads: [a]
  elements: [{{name: box, tuple: [int]}}]
  paths: [{{thread: a, name: put, element: box}}]
placement: {{processes: {{p: {{node: n1, threads: a}}}}, elements: [{{elements: box, node: n1}}]}}
collect: {{points: [{{at: thread}}]}}
scopes: {{all: {{timeout: 1min, levels: [{{group: all, wrapper: gather}}, {{group: node, wrapper: gather}}]}}}}
)",
                                             test::free_port()),
                                 "morning.yaml");
  for (const Fault& fault : loaded.faults) ADD_FAILURE() << to_string(fault);
  return std::make_shared<const Plan>(std::move(loaded.plan.value()));
}

TEST(ForeignSession, AProcessOfAnotherSessionIsRefusedAndToldWhy) {
  const test::TemporaryDirectory directory;
  const test::Variable segments("EVENTSPACE_SHM_DIR", directory.path().string());
  const test::Variable sockets("XDG_RUNTIME_DIR", directory.path().string());
  const auto plan = plan_without_keys();
  NodeServer server(plan, NodeIndex(0), {});
  server.start();
  Session own = Session::join(plan, "p", {});
  EXPECT_EQ(own.thread("a").path("put").write(test::number(1), Deadline::after(60s)), Status::ok);

  Session::Options options;
  options.name = "evening";
  Session foreign = Session::join(plan, "p", options);
  const Received received = foreign.thread("a").path("put").take(From::oldest, Deadline::after(60s));
  EXPECT_EQ(received.status, Status::refused);
  EXPECT_THAT(received.reason,
              testing::HasSubstr("session 'evening'; this port belongs to session 'morning'"));
  EXPECT_TRUE(own.thread("a").path("put").take(From::oldest, Deadline::after(60s))) << "it is still there";
}

TEST(ForeignSession, AScopeOfAnotherSessionIsRefusedAndItsViewSaysWhy) {
  const test::TemporaryDirectory directory;
  const test::Variable segments("EVENTSPACE_SHM_DIR", directory.path().string());
  const test::Variable sockets("XDG_RUNTIME_DIR", directory.path().string());
  const auto plan = plan_without_keys();
  NodeServer server(plan, NodeIndex(0), {});
  server.start();
  Session application = Session::join(plan, "p", {});
  EXPECT_EQ(application.thread("a").path("put").write(test::number(1), Deadline::after(60s)), Status::ok);

  Consumer own(plan);
  EventScope of_own = own.open("all");
  EXPECT_TRUE(test::eventually([&] { return of_own.pull({}).records.size() == 1; }));
  Consumer foreign(plan, "evening");
  EventScope scope = foreign.open("all");
  const View view = scope.pull({});
  EXPECT_EQ(view.records.size(), 0u);
  ASSERT_THAT(view.missing, testing::SizeIs(1));
  EXPECT_THAT(view.missing[0].detail,
              testing::HasSubstr("opened in session 'evening', and this server is of session 'morning'"));
}

}  // namespace
}  // namespace eventspace
