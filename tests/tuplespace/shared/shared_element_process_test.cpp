// Shared elements between processes that are neither killed nor stopped.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <thread>

#include "tests/tuplespace/shared/shared_element_talk.h"

namespace eventspace {
namespace {

using namespace std::chrono_literals;
using test::patient;
using testing::HasSubstr;

class SharedElementProcessTest : public test::SharedElementTest {};

TEST_F(SharedElementProcessTest, ATupleGoesToAnotherProcessAndBack) {
  given({numbers("there"), numbers("back")});
  test::Child echo = child([](ElementFileView& view) {
    for (int i = 0; i < 2000; ++i) write(*view.find("back"), *take(*view.find("there")) + 1);
  });
  for (std::int64_t i = 0; i < 2000; ++i) {
    ASSERT_TRUE(write(element("there"), i));
    ASSERT_EQ(take(element("back")), i + 1);
  }
  EXPECT_TRUE(echo.ends_well());
}

TEST_F(SharedElementProcessTest, BytesArriveAsTheyWere) {
  given({{{"box", {FieldType::bytes, FieldType::text, FieldType::real, FieldType::boolean}, 3}, 4096}});
  const auto tuple_of = [](std::size_t n) {
    const std::vector<std::byte> bytes(n * 37 % 1200, static_cast<std::byte>(n));
    return Tuple::of({Bytes(bytes), std::string(n % 40, 't'), static_cast<double>(n) / 3, n % 2 == 0});
  };
  test::Child writer = child([&](ElementFileView& view) {
    for (std::size_t n = 0; n < 3000; ++n)
      test::performed(*view.find("box"), test::write_of(tuple_of(n), patient));
  });
  for (std::size_t n = 0; n < 3000; ++n) {
    const Operation taken =
        test::performed(element("box"), test::fetch_of(Verb::take, From::oldest, 0, patient));
    ASSERT_EQ(taken.status, Status::ok);
    ASSERT_EQ(taken.tuple, tuple_of(n));
  }
}

TEST_F(SharedElementProcessTest, ManyWritersAndTakersHandOverEveryTupleOnce) {
  constexpr int each = 3000;
  constexpr int writers = 3;
  struct Log {
    std::array<std::atomic<int>, std::size_t{writers} * each> times{};
  };
  const test::SharedMemory<Log> taken;
  given({numbers("channel")});
  std::vector<test::Child> children;
  for (int writer = 0; writer < writers; ++writer) {
    children.push_back(child([writer](ElementFileView& view) {
      for (int i = 0; i < each; ++i) write(*view.find("channel"), writer * each + i);
    }));
    children.push_back(child([&taken](ElementFileView& view) {
      for (int i = 0; i < each; ++i)
        ++taken->times.at(static_cast<std::size_t>(*take(*view.find("channel"))));
    }));
  }
  for (test::Child& process : children) ASSERT_TRUE(process.ends_well());
  for (const auto& times : taken->times) ASSERT_EQ(times, 1);
  EXPECT_EQ(element("channel").counts().taken, static_cast<std::uint64_t>(writers * each));
  EXPECT_EQ(element("channel").counts().kept, 0u);
}

TEST_F(SharedElementProcessTest, AFullElementHoldsItsWriterBack) {
  given({numbers("channel", 2)});
  test::Child writer = child([](ElementFileView& view) {
    for (std::int64_t i = 0; i < 100; ++i) write(*view.find("channel"), i);
  });
  SharedElement& channel = element("channel");
  ASSERT_TRUE(test::comes_true([&] { return channel.counts().kept == 2; }));
  for (std::int64_t i = 0; i < 100; ++i) {
    ASSERT_LE(channel.counts().kept, 2u);
    ASSERT_LE(channel.counts().written, static_cast<std::uint64_t>(i + 2));
    ASSERT_EQ(take(channel), i);
  }
  EXPECT_TRUE(writer.ends_well());
}

TEST_F(SharedElementProcessTest, RoomThatIsShortHoldsTheWriterBackToo) {
  given({{{"box", {FieldType::bytes}, 1000}, 300}});
  test::Child writer = child([](ElementFileView& view) {
    const std::vector<std::byte> bytes(90);
    for (int i = 0; i < 50; ++i)
      test::performed(*view.find("box"), test::write_of(Tuple::of({Bytes(bytes)}), patient));
  });
  SharedElement& box = element("box");
  ASSERT_TRUE(test::comes_true([&] { return box.counts().kept == 3; }));
  for (int i = 0; i < 50; ++i) {
    ASSERT_LE(box.counts().kept, 3u);
    ASSERT_EQ(test::performed(box, test::fetch_of(Verb::take, From::oldest, 0, patient)).status, Status::ok);
  }
}

TEST_F(SharedElementProcessTest, ReadersInOtherProcessesCountWhatTheyMiss) {
  constexpr std::uint64_t count = 20000;
  given({numbers("progress", 8, WhenFull::discard)});
  std::vector<test::Child> readers;
  for (int i = 0; i < 2; ++i) {
    readers.push_back(child([](ElementFileView& view) {
      std::uint64_t counted = 0;
      for (std::uint64_t cursor = 0; cursor < count;) {
        const Operation read =
            test::performed(*view.find("progress"), test::fetch_of(Verb::read, From::after, cursor, patient));
        if (read.status != Status::ok) throw std::runtime_error("not read");
        counted += 1 + read.missed;
        cursor = read.sequence;
      }
      if (counted != count) throw std::runtime_error("miscounted");
    }));
  }
  for (std::uint64_t n = 0; n < count; ++n)
    ASSERT_TRUE(write(element("progress"), static_cast<std::int64_t>(n)));
  for (test::Child& reader : readers) EXPECT_TRUE(reader.ends_well());
}

TEST_F(SharedElementProcessTest, DeadlinesHoldBetweenProcesses) {
  given({numbers("channel", 1)});
  test::Child taker = child([](ElementFileView& view) {
    if (take(*view.find("channel"), Deadline::after(20ms))) throw std::runtime_error("there was a tuple");
  });
  EXPECT_TRUE(taker.ends_well());
  ASSERT_TRUE(write(element("channel"), 1));
  test::Child writer = child([](ElementFileView& view) {
    if (write(*view.find("channel"), 2, Deadline::after(20ms))) throw std::runtime_error("there was room");
  });
  EXPECT_TRUE(writer.ends_well());
  EXPECT_EQ(element("channel").counts().written, 1u);
}

// A tuple wakes all waiting threads; one takes it, the others continue to wait, and none is forgotten.
TEST_F(SharedElementProcessTest, EachWaitingThreadGetsATupleInTheEnd) {
  given({numbers("channel", 100)});
  const test::SharedMemory<std::atomic<int>> served;
  std::vector<test::Child> takers;
  for (int i = 0; i < 8; ++i) {
    takers.push_back(child([&served](ElementFileView& view) {
      if (take(*view.find("channel"))) ++*served;
    }));
  }
  for (int i = 0; i < 8; ++i) {
    ASSERT_TRUE(write(element("channel"), i));
    ASSERT_TRUE(test::comes_true([&] { return *served == i + 1; }));
  }
}

TEST_F(SharedElementProcessTest, ClosingEndsTheWaitsOfAllProcessesAndNamesTheHome) {
  given({numbers("channel")});
  const test::SharedMemory<std::atomic<int>> waiting;
  test::Child taker = child([&waiting](ElementFileView& view) {
    ++*waiting;
    const Operation take =
        test::performed(*view.find("channel"), test::fetch_of(Verb::take, From::oldest, 0, patient));
    if (take.status != Status::closed) throw std::runtime_error("not closed");
    if (take.reason.find("closed by process p0 (pid ") == std::string::npos)
      throw std::runtime_error(take.reason);
  });
  ASSERT_TRUE(test::comes_true([&] { return *waiting == 1; }));
  file.reset();
  EXPECT_TRUE(taker.ends_well());
  EXPECT_TRUE(directory.files().empty());
}

TEST_F(SharedElementProcessTest, LeavingEndsTheWaitsOfThisProcessAlone) {
  given({numbers("channel")});
  ElementFileView view(file->view().path());
  std::thread waiting([&view] {
    const Operation take =
        test::performed(*view.find("channel"), test::fetch_of(Verb::take, From::oldest, 0, patient));
    EXPECT_EQ(take.status, Status::closed);
    EXPECT_EQ(take.reason, "the session was closed");
  });
  view.leave();
  waiting.join();
  EXPECT_EQ(test::perform(*view.find("channel"), test::fetch_of(Verb::take)), "closed");
  EXPECT_EQ(test::perform(element("channel"), test::write_of(test::one(1))), "#1");
}

TEST_F(SharedElementProcessTest, AThreadThatWaitsWhenThisProcessLeavesEndsAsClosed) {
  given({numbers("channel")});
  test::ElementMemory memory(file->view().path());
  ElementFileView view(file->view().path());
  std::thread waiting([&view] {
    const Operation take =
        test::performed(*view.find("channel"), test::fetch_of(Verb::take, From::oldest, 0, patient));
    EXPECT_EQ(take.status, Status::closed);
    EXPECT_EQ(take.reason, "the session was closed");
  });
  EXPECT_TRUE(test::comes_true([&] { return memory.is_awaited(shared_element::Event::tuple_came); }));
  view.leave();
  waiting.join();
  EXPECT_TRUE(element("channel").is_open());
}

TEST_F(SharedElementProcessTest, LastWordsAreWrittenAfterTheirWriterHasLeft) {
  given({numbers("channel", 1)});
  ElementFileView view(file->view().path());
  SharedElement& left = *view.find("channel");
  view.leave();
  EXPECT_EQ(test::perform(left, test::write_of(test::one(1), patient)), "closed");
  std::thread writing(
      [&left] { EXPECT_EQ(test::perform(left, test::write_of(test::one(2), patient)), "closed"); });
  EXPECT_EQ(take(element("channel")), 1);
  EXPECT_EQ(take(element("channel")), 2);
  writing.join();
  test::perform(element("channel"), test::write_of(test::one(3)));
  EXPECT_EQ(test::perform(left, test::write_of(test::one(4), patient)),
            "closed");  // room must come within a second
  EXPECT_EQ(element("channel").counts().written, 3u);
}

TEST_F(SharedElementProcessTest, WhatIsRefusedIsExplained) {
  given({{{"box", {FieldType::text}, 3}, 100}});
  const Operation large = test::performed(element("box"), test::write_of(Tuple::of({std::string(99, 'x')})));
  EXPECT_EQ(large.status, Status::refused);
  EXPECT_THAT(large.reason, HasSubstr("a tuple of 102 bytes; element 'box' takes at most 100"));
  const Operation other = test::performed(element("box"), test::write_of(test::one(1)));
  EXPECT_THAT(other.reason, HasSubstr("element 'box' has type (text), the tuple (int)"));
  const Template match{std::int64_t{1}};
  Operation fetch = test::fetch_of(Verb::read);
  fetch.match = &match;
  EXPECT_THAT(test::performed(element("box"), fetch).reason, HasSubstr("the template (int)"));
  EXPECT_EQ(element("box").counts().refused, 3u);
}

TEST_F(SharedElementProcessTest, AWakerIsCalledForAChangeByAnotherProcess) {
  class Flag final : public Waker {
   public:
    void wake() noexcept override { ++wakes; }
    std::atomic<int> wakes{0};
  };
  given({numbers("channel", 1)});
  Flag flag;
  Operation take = test::fetch_of(Verb::take);
  take.waker = &flag;
  element("channel").attempt(take);
  EXPECT_EQ(take.status, Status::under_way);
  test::Child writer = child([](ElementFileView& view) { write(*view.find("channel"), 7); });
  ASSERT_TRUE(test::comes_true([&] {
    element("channel").attempt(take);
    return take.status != Status::under_way;
  }));
  ASSERT_TRUE(test::comes_true([&] { return flag.wakes > 0; }));
  element("channel").forget(flag);
  const int wakes = flag.wakes;
  ASSERT_TRUE(write(element("channel"), 8));
  file.reset();  // joins the thread that calls the waker
  EXPECT_EQ(flag.wakes, wakes);
}

}  // namespace
}  // namespace eventspace
