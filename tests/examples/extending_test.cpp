#include <gmock/gmock.h>

#include <thread>

#include "examples/extending/busiest_monitor.h"
#include "examples/extending/count_wrapper.h"
#include "examples/extending/sample_wrapper.h"
#include "examples/extending/star_generator.h"
#include "pathmaps/pathmap.h"
#include "pathmaps/sessions/session.h"
#include "scopes/wrappers/scope_wrappers.h"
#include "tests/tuplespace/temporary_directory.h"
#include "tests/tuplespace/variable.h"

// Uses the examples of docs/extending.md as that page describes.
namespace {

using namespace eventspace;

class Extending : public testing::Test {
 protected:
  static void SetUpTestSuite() {
    WrapperRegistry::instance().add(example::count_wrapper());
    ScopeWrapperRegistry::instance().add(example::sample_wrapper());
    GeneratorRegistry::instance().add(example::star_generator());
  }

  void SetUp() override {
    LoadResult loaded = load_plan(EVENTSPACE_EXTENDED_PATHMAP);
    for (const Fault& fault : loaded.faults) ADD_FAILURE() << to_string(fault);
    ASSERT_TRUE(loaded.plan.has_value());
    plan_ = std::make_shared<const Plan>(std::move(*loaded.plan));
  }

  test::TemporaryDirectory directory_;
  test::Variable shared_memory_{"EVENTSPACE_SHM_DIR", directory_.path().string()};
  std::shared_ptr<const Plan> plan_;
};

TEST_F(Extending, AWrapperActsOnThePathThatNamesIt) {
  Session session = Session::join(plan_, "p", {});
  Path& box = session.thread("a").path("box");
  const std::uint64_t before = example::counted;
  ASSERT_EQ(box.write(Tuple::of({std::int64_t{1}})), Status::ok);
  ASSERT_TRUE(box.read());
  EXPECT_EQ(example::counted, before + 1);
}

TEST_F(Extending, AGeneratorMakesElementsAndPaths) {
  Session session = Session::join(plan_, "p", {});
  std::jthread b([&] {
    EXPECT_EQ(session.thread("b").path("to-centre").write(Tuple::of({std::int64_t{7}})), Status::ok);
  });
  const Received received = session.thread("centre").path("from/b").take();
  ASSERT_TRUE(received);
  EXPECT_EQ(received.tuple.get<std::int64_t>(0), 7);
}

TEST_F(Extending, AMonitorPullsThroughAScopeWithAWrapperOfItsOwn) {
  Session session = Session::join(plan_, "p", {});
  Path& box = session.thread("a").path("box");
  for (std::int64_t i = 0; i < 10; ++i) ASSERT_EQ(box.write(Tuple::of({i})), Status::ok);
  Consumer consumer(plan_);
  EventScope scope = consumer.open("sampled");
  const View view = scope.pull({});
  EXPECT_EQ(view.records.size(), 5u);
  EXPECT_EQ(view.loss.filtered, 5u);
  EXPECT_EQ(example::busiest_thread(consumer, "sampled"), "a");
}

}  // namespace
