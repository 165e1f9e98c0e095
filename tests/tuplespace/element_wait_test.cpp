#include <gtest/gtest.h>

#include <unistd.h>

#include <atomic>
#include <chrono>
#include <future>
#include <memory>
#include <vector>

#include "tests/tuplespace/any_element.h"
#include "tests/tuplespace/element_talk.h"
#include "tuplespace/processes/process_stat.h"

namespace eventspace {
namespace {

using namespace std::chrono_literals;

/// The outcome of an operation that another thread performs.
class Outcome {
 public:
  template <class Perform>
  explicit Outcome(Perform perform)
      : thread_(std::make_shared<std::atomic<pid_t>>(0)),
        text_(std::async(std::launch::async, [thread = thread_, perform = std::move(perform)] {
          thread->store(::gettid());
          return perform();
        })) {}

  /// Returns true once the thread has begun and sleeps, false if the operation ends instead.
  [[nodiscard]] bool waits() const {
    while (text_.wait_for(20ms) == std::future_status::timeout) {
      const pid_t thread = thread_->load();
      const auto stat = thread != 0 ? read_process_stat(::getpid(), thread) : std::nullopt;
      if (stat && stat->state == 'S') return true;
    }
    return false;
  }
  std::string get() { return text_.get(); }

 private:
  std::shared_ptr<std::atomic<pid_t>> thread_;
  std::future<std::string> text_;
};

/// An element of one integer, and threads that wait for it.
class WaitTest : public testing::TestWithParam<test::ElementKind> {
 protected:
  Outcome started(Operation operation) {
    operation.deadline = Deadline::after(60s);  // a hang becomes a failure
    return Outcome([this, operation] { return test::perform(*element, operation); });
  }

  std::string write(std::int64_t value) { return test::perform(*element, test::write_of(test::one(value))); }
  std::string take() { return test::perform(*element, test::fetch_of(Verb::take)); }

  std::unique_ptr<test::AnyElement> element =
      test::make_element(GetParam(), {"channel", {FieldType::integer}, 2});
};
INSTANTIATE_TEST_SUITE_P(Kinds, WaitTest, test::all_kinds, test::name_of_kind);

/// For elements that serve waiting operations in the order of their arrival.
using OrderedWaitTest = WaitTest;
INSTANTIATE_TEST_SUITE_P(Kinds, OrderedWaitTest, testing::Values(test::ElementKind::in_process),
                         test::name_of_kind);

TEST(ElementOfAnyType, AThreadThatWaitsForAnotherTypeIsRefusedWhenATypeIsAdopted) {
  Element any({.name = "any", .signature = {}, .adopts_signature = true});
  const Template text({FieldType::text});
  Operation take = test::fetch_of(Verb::take, From::oldest, 0, Deadline::after(60s));
  take.match = &text;
  Outcome taker([&] { return test::perform(any, take); });
  ASSERT_TRUE(taker.waits());
  EXPECT_TRUE(any.adopt_signature({FieldType::integer}));
  EXPECT_EQ(taker.get(), "refused");
}

TEST_P(WaitTest, TakeWaitsForAWrite) {
  Outcome taker = started(test::fetch_of(Verb::take));
  EXPECT_TRUE(taker.waits());
  EXPECT_EQ(write(10), "#1");
  EXPECT_EQ(taker.get(), "#1 = 10");
  EXPECT_EQ(element->counts().kept, 0u);
}

TEST_P(WaitTest, WriteWaitsForRoom) {
  write(10);
  write(20);
  Outcome writer = started(test::write_of(test::one(30)));
  EXPECT_TRUE(writer.waits());
  EXPECT_EQ(take(), "#1 = 10");
  EXPECT_EQ(writer.get(), "#3");
  EXPECT_EQ(element->counts().kept, 2u);
}

TEST_P(WaitTest, DiscardLetsAllWaitingWritersIn) {
  write(10);
  write(20);
  Outcome first = started(test::write_of(test::one(30)));
  Outcome second = started(test::write_of(test::one(40)));
  EXPECT_TRUE(first.waits() && second.waits());
  test::perform(*element, test::discard_through(2));
  EXPECT_TRUE(first.get() != second.get());
  EXPECT_EQ(element->counts().written, 4u);
}

TEST_P(OrderedWaitTest, OneWriteServesAllReadersButOneTaker) {
  std::vector<Outcome> readers;
  readers.reserve(3);
  for (int i = 0; i < 3; ++i) readers.push_back(started(test::fetch_of(Verb::read)));
  for (const Outcome& reader : readers) EXPECT_TRUE(reader.waits());
  Outcome taker = started(test::fetch_of(Verb::take));
  Outcome other = started(test::fetch_of(Verb::take));
  EXPECT_TRUE(taker.waits() && other.waits());
  write(10);
  for (Outcome& reader : readers) EXPECT_EQ(reader.get(), "#1 = 10");
  EXPECT_NE(taker.waits(), other.waits());
  write(20);
  EXPECT_NE(taker.get(), other.get());
}

TEST_P(OrderedWaitTest, AWaitForATooLargeTupleIsRefusedAndTheNextOneGetsIt) {
  Operation small = test::fetch_of(Verb::take);
  small.max_bytes = 1;
  Outcome first = started(small);
  EXPECT_TRUE(first.waits());
  Outcome second = started(test::fetch_of(Verb::take));
  EXPECT_TRUE(second.waits());
  write(1000);
  EXPECT_EQ(first.get(), "refused");
  EXPECT_EQ(second.get(), "#1 = 1000");
}

TEST_P(OrderedWaitTest, WaitingForANumberGoesBeforeWaitingForAny) {
  Outcome any = started(test::fetch_of(Verb::take));
  EXPECT_TRUE(any.waits());
  Outcome second = started(test::fetch_of(Verb::read, From::at, 2));
  Outcome first = started(test::fetch_of(Verb::take, From::at, 1));
  EXPECT_TRUE(second.waits() && first.waits());
  write(10);
  EXPECT_EQ(first.get(), "#1 = 10");
  EXPECT_TRUE(any.waits());
  write(20);
  EXPECT_EQ(second.get(), "#2 = 20");
  EXPECT_EQ(any.get(), "#2 = 20");
}

TEST_P(WaitTest, WaitingForANumberThatAnotherTakesEndsAsGone) {
  Outcome one = started(test::fetch_of(Verb::take, From::at, 1));
  Outcome two = started(test::fetch_of(Verb::take, From::at, 1));
  EXPECT_TRUE(one.waits() && two.waits());
  write(10);
  const std::string outcomes = one.get() + ", " + two.get();
  EXPECT_TRUE(outcomes == "#1 = 10, gone" || outcomes == "gone, #1 = 10") << outcomes;
}

TEST_P(WaitTest, TemplateTakerLeavesWhatDoesNotMatch) {
  const Template match{std::int64_t{20}};
  Operation operation = test::fetch_of(Verb::take);
  operation.match = &match;
  Outcome taker = started(operation);
  EXPECT_TRUE(taker.waits());
  write(10);
  EXPECT_TRUE(taker.waits());
  write(20);
  EXPECT_EQ(taker.get(), "#2 = 20");
  EXPECT_EQ(take(), "#1 = 10");
}

TEST_P(WaitTest, ReaderWaitsForTheNextAfterItsLast) {
  write(10);
  Outcome reader = started(test::fetch_of(Verb::read, From::after, 1));
  EXPECT_TRUE(reader.waits());
  write(20);
  EXPECT_EQ(reader.get(), "#2 = 20");
}

TEST_P(WaitTest, DeadlineEndsTheWaitAndNothingWasDone) {
  const auto begin = std::chrono::steady_clock::now();
  Operation take = test::fetch_of(Verb::take, From::oldest, 0, Deadline::after(30ms));
  EXPECT_EQ(test::perform(*element, take), "timed out");
  EXPECT_GE(std::chrono::steady_clock::now() - begin, 30ms);
  write(10);
  write(20);
  EXPECT_EQ(test::perform(*element, test::write_of(test::one(30), Deadline::after(5ms))), "timed out");
  EXPECT_EQ(element->counts().written, 2u);
  EXPECT_EQ(element->counts().taken, 0u);
}

TEST_P(WaitTest, CloseEndsAllWaitingForTuples) {
  std::vector<Outcome> waiting;
  for (const From from : {From::oldest, From::newest, From::at, From::after})
    waiting.push_back(started(test::fetch_of(Verb::take, from, 7)));
  for (const Outcome& outcome : waiting) EXPECT_TRUE(outcome.waits());
  element->close();
  for (Outcome& outcome : waiting) EXPECT_EQ(outcome.get(), "closed");
}

TEST_P(WaitTest, CloseEndsAllWaitingForRoom) {
  write(10);
  write(20);
  Outcome one = started(test::write_of(test::one(30)));
  Outcome two = started(test::write_of(test::one(40)));
  EXPECT_TRUE(one.waits() && two.waits());
  element->close();
  EXPECT_EQ(one.get() + ", " + two.get(), "closed, closed");
}

}  // namespace
}  // namespace eventspace
