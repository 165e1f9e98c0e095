#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <semaphore>
#include <thread>
#include <vector>

#include "tests/tuplespace/any_element.h"
#include "tests/tuplespace/element_talk.h"

namespace eventspace {
namespace {

using namespace std::chrono_literals;
using Integer = std::int64_t;

constexpr int writers = 3;
constexpr int takers = 3;
constexpr Integer each = 4000;

struct Taken {
  std::uint64_t sequence;
  Integer writer;
  Integer index;
};

/// Writers that write (writer, 0), (writer, 1), ... and takers that take until the element is closed.
class StressTest : public testing::TestWithParam<test::ElementKind> {
 protected:
  using Take = bool (*)(test::AnyElement&, Operation&);
  using Write = void (*)(test::AnyElement&, Operation&);

  void run(Write write, Take take) {
    std::vector<std::jthread> taking;
    for (auto& mine : taken) taking.emplace_back([this, take, &mine] { keep_taking(take, mine); });
    {
      std::vector<std::jthread> writing;
      for (Integer writer = 0; writer < writers; ++writer)
        writing.emplace_back([this, write, writer] { write_all(write, writer); });
    }
    while (element.counts().kept > 0) std::this_thread::yield();
    element.close();
  }

  void write_all(Write write, Integer writer) {
    for (Integer index = 0; index < each; ++index) {
      Operation operation = test::write_of(Tuple::of({writer, index}), Deadline::never());
      write(element, operation);
      ASSERT_EQ(operation.status, Status::ok);
    }
  }

  void keep_taking(Take take, std::vector<Taken>& mine) {
    for (;;) {
      Operation operation = test::fetch_of(Verb::take, From::oldest, 0, Deadline::never());
      if (!take(element, operation)) return;
      mine.push_back({operation.sequence, operation.tuple.get<Integer>(0), operation.tuple.get<Integer>(1)});
    }
  }

  void expect_every_tuple_once_in_order() {
    std::vector<Taken> all;
    for (const auto& mine : taken) {
      EXPECT_TRUE(std::is_sorted(mine.begin(), mine.end(), earlier)) << "a taker went back";
      all.insert(all.end(), mine.begin(), mine.end());
    }
    std::sort(all.begin(), all.end(), earlier);
    ASSERT_EQ(all.size(), static_cast<std::size_t>(writers * each));
    std::vector<Integer> next(writers, 0);
    for (std::size_t i = 0; i < all.size(); ++i) {
      ASSERT_EQ(all[i].sequence, i + 1);
      ASSERT_EQ(all[i].index, next[static_cast<std::size_t>(all[i].writer)]++);
    }
  }

  static bool earlier(const Taken& a, const Taken& b) { return a.sequence < b.sequence; }

  std::unique_ptr<test::AnyElement> sole =
      test::make_element(GetParam(), {"channel", {FieldType::integer, FieldType::integer}, 4});
  test::AnyElement& element = *sole;
  std::vector<Taken> taken[takers];
};
INSTANTIATE_TEST_SUITE_P(Kinds, StressTest, test::all_kinds, test::name_of_kind);

void write_waiting(test::AnyElement& element, Operation& operation) { element.perform(operation); }

bool take_waiting(test::AnyElement& element, Operation& operation) {
  element.perform(operation);
  return operation.status == Status::ok;
}

// The deadlines are so short that many pass just when the tuple, or the room, comes.
void write_impatiently(test::AnyElement& element, Operation& operation) {
  do {
    operation.deadline = Deadline::after(2us);
    element.perform(operation);
  } while (operation.status == Status::timed_out);
}

bool take_impatiently(test::AnyElement& element, Operation& operation) {
  do {
    operation.deadline = Deadline::after(2us);
    element.perform(operation);
  } while (operation.status == Status::timed_out);
  return operation.status == Status::ok;
}

class SemaphoreWaker final : public Waker {
 public:
  void wake() noexcept override { woken_.release(); }
  bool wait() { return woken_.try_acquire_for(60s); }

 private:
  std::counting_semaphore<> woken_{0};
};

void attempt_until_done(test::AnyElement& element, Operation& operation) {
  SemaphoreWaker waker;
  operation.waker = &waker;
  element.attempt(operation);
  while (operation.status == Status::under_way && waker.wait()) element.attempt(operation);
  element.forget(waker);
}

bool take_by_waker(test::AnyElement& element, Operation& operation) {
  attempt_until_done(element, operation);
  return operation.status == Status::ok;
}

TEST_P(StressTest, NothingIsLostOrDoubledBetweenWaitingThreads) {
  run(write_waiting, take_waiting);
  expect_every_tuple_once_in_order();
}

TEST_P(StressTest, NothingIsLostOrDoubledWhenDeadlinesPass) {
  run(write_impatiently, take_impatiently);
  expect_every_tuple_once_in_order();
}

TEST_P(StressTest, NothingIsLostOrDoubledByWakers) {
  run(attempt_until_done, take_by_waker);
  expect_every_tuple_once_in_order();
}

TEST_P(StressTest, WakersAndWaitingThreadsShareAnElement) {
  run(attempt_until_done, take_waiting);
  expect_every_tuple_once_in_order();
}

TEST_P(StressTest, TakersByTemplateGetTheirOwnWriter) {
  std::vector<std::jthread> threads;
  for (Integer writer = 0; writer < writers; ++writer) {
    threads.emplace_back([this, writer] { write_all(write_waiting, writer); });
    threads.emplace_back([this, writer] {
      const Template mine{writer, FieldType::integer};
      for (Integer index = 0; index < each; ++index) {
        Operation operation = test::fetch_of(Verb::take, From::oldest, 0, Deadline::after(60s));
        operation.match = &mine;
        element.perform(operation);
        ASSERT_EQ(operation.status, Status::ok);
        ASSERT_EQ(operation.tuple.get<Integer>(1), index);
      }
    });
  }
}

class DiscardingElementTest : public testing::TestWithParam<test::ElementKind> {};
INSTANTIATE_TEST_SUITE_P(Kinds, DiscardingElementTest, test::all_kinds, test::name_of_kind);

TEST_P(DiscardingElementTest, ReadersOfAFullElementCountWhatTheyMiss) {
  const auto sole = test::make_element(GetParam(), {"progress", {FieldType::integer}, 8, WhenFull::discard});
  test::AnyElement& element = *sole;
  constexpr std::uint64_t count = 20000;
  std::vector<std::jthread> readers;
  for (int reader = 0; reader < 2; ++reader)
    readers.emplace_back([&] {
      std::uint64_t seen = 0;
      std::uint64_t missed = 0;
      std::uint64_t cursor = 0;
      while (cursor < count) {
        Operation operation = test::fetch_of(Verb::read, From::after, cursor, Deadline::after(60s));
        element.perform(operation);
        ASSERT_EQ(operation.status, Status::ok);
        ++seen;
        missed += operation.missed;
        cursor = operation.sequence;
      }
      EXPECT_EQ(seen + missed, count);
    });
  for (std::uint64_t n = 0; n < count; ++n)
    ASSERT_EQ(test::perform(element, test::write_of(test::one(static_cast<Integer>(n)))),
              "#" + std::to_string(n + 1));
}

}  // namespace
}  // namespace eventspace
