#include "monitors/endings/unread_rest.h"

#include <gtest/gtest.h>

#include <optional>

#include "collectors/record_header.h"

namespace eventspace {
namespace {

/// Path p is recorded by process p, in trace element p.
class Names final : public PlanNames {
 public:
  std::string_view thread_name(std::uint32_t) const override { return "?"; }
  std::string_view path_name(std::uint32_t) const override { return "?"; }
  std::string_view process_name(std::uint32_t) const override { return "?"; }
  std::string_view node_of_process(std::uint32_t) const override { return "?"; }
  std::optional<SourceRef> source_of(std::uint32_t path, std::uint16_t) const override {
    return SourceRef{path, path};
  }
};

class UnreadRestTest : public testing::Test {
 protected:
  static View read_until(std::uint32_t path, std::uint64_t sequence, std::int32_t pid = 7) {
    View view;
    view.positions.push_back(
        {.trace = path, .process = path, .pid = pid, .created_ns = 1, .sequence = sequence});
    return view;
  }
  static View newest(std::uint32_t path, std::uint64_t sequence, std::int32_t pid = 7) {
    View view;
    view.processes.emplace_back().process = path;
    view.processes.back().pid = pid;
    view.records.push_back(record(path, sequence, 20, 0));
    return view;
  }
  static TraceTuple record(std::uint32_t path, std::uint64_t sequence, std::uint64_t end, std::uint8_t part) {
    TraceTuple tuple;
    tuple.words = {sequence, 10, record_words::thread_path(0, path), record_words::kind(1, 0, part), end};
    return tuple;
  }

  Names names;
  UnreadRest rest{names};
};

TEST_F(UnreadRestTest, WithoutAnEndNothingIsLeft) {
  rest.note(read_until(1, 3));
  EXPECT_EQ(rest.count(), 0U);
  EXPECT_EQ(rest.passed_last(), 3U);
}

TEST_F(UnreadRestTest, UnreadEventsAreCountedFromThePositionsToTheNewestEvents) {
  rest.note(read_until(1, 3));
  View end = newest(1, 10);
  end.append(newest(2, 5));
  rest.set_end(end);
  EXPECT_EQ(rest.count(), 7U + 5U) << "of a trace element that was never read, all";
  rest.note(read_until(1, 12));
  EXPECT_EQ(rest.passed_last(), 9U);
  EXPECT_EQ(rest.count(), 5U) << "what came behind the end does not matter";
  rest.note(read_until(2, 5));
  EXPECT_EQ(rest.count(), 0U);
}

TEST_F(UnreadRestTest, AnotherRunOfAProcessIsUnreadFromItsBeginning) {
  rest.note(read_until(1, 100, 7));
  rest.set_end(newest(1, 10, 8));
  EXPECT_EQ(rest.count(), 10U);
  rest.note(read_until(1, 4, 8));
  EXPECT_EQ(rest.passed_last(), 4U);
  EXPECT_EQ(rest.count(), 6U);
}

// The start record of an event in flight is read with its end, which may never come.
TEST_F(UnreadRestTest, EventsInFlightAreNotUnread) {
  rest.note(read_until(1, 3));
  View end = newest(1, 3);
  end.records.push_back(record(1, 4, 10, 1));
  end.records.push_back(record(1, 0, 0, 0));
  rest.set_end(end);
  EXPECT_EQ(rest.count(), 0U);
}

}  // namespace
}  // namespace eventspace
