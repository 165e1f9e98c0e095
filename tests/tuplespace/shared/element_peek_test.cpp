#include "tuplespace/shared/element_peek.h"

#include <gmock/gmock.h>

#include <atomic>
#include <thread>

#include <eventspace/error.h>
#include "tests/tuplespace/temporary_directory.h"
#include "tuplespace/shared/element_file.h"

// Shared elements, read from outside without their locks.
namespace eventspace {
namespace {

class ElementPeek : public testing::Test {
 protected:
  [[nodiscard]] std::filesystem::path path() const {
    return find_element_files("wind", "n1", directory_.path()).at(0);
  }
  [[nodiscard]] PeekedElement peek(std::size_t element = 0) const {
    return peek_elements(path()).at(element);
  }
  Operation perform(Verb verb, std::int64_t value = 0) {
    Operation operation;
    operation.verb = verb;
    if (verb == Verb::write) operation.tuple = Tuple::of({value});
    if (verb == Verb::discard) operation.sequence = static_cast<std::uint64_t>(value);
    operation.deadline = Deadline::now();
    file_.view().find("box")->perform(operation);
    return operation;
  }

  test::TemporaryDirectory directory_;
  ElementFile file_{{{"wind", "n1", "p0", 0xfeed},
                     {{{"first", {FieldType::text}, 9, WhenFull::discard}, 1000},
                      {{"box", {FieldType::integer}, 4, WhenFull::wait}, 100}},
                     directory_.path()}};
};

TEST_F(ElementPeek, ANewElementIsEmpty) {
  const PeekedElement box = peek(1);
  EXPECT_EQ(box.config.name, "box");
  EXPECT_EQ(box.process, "p0");
  EXPECT_EQ(box.room, 100u);
  EXPECT_TRUE(box.is_known);
  EXPECT_EQ(box.counts.written, 0u);
  EXPECT_EQ(box.oldest, 0u);
  EXPECT_EQ(box.newest, 0u);
}

TEST_F(ElementPeek, TheNumbersAreThoseOfTheElementItself) {
  for (std::int64_t i = 0; i < 4; ++i) perform(Verb::write, i);
  EXPECT_EQ(perform(Verb::write, 9).status, Status::full);
  perform(Verb::take);
  perform(Verb::write, 5);
  perform(Verb::discard, 2);
  const PeekedElement box = peek(1);
  const Element::Counts counts = file_.view().find("box")->counts();
  EXPECT_TRUE(box.is_known);
  EXPECT_EQ(box.counts.written, 5u);
  EXPECT_EQ(box.counts.kept, 3u);
  EXPECT_EQ(box.counts.taken, counts.taken);
  EXPECT_EQ(box.counts.dropped, 1u);
  EXPECT_EQ(box.oldest, 3u);
  EXPECT_EQ(box.newest, 5u);
  EXPECT_EQ(peek(0).counts.written, 0u) << "the other element";
}

TEST_F(ElementPeek, WhileThreadsChangeAnElementEachLookShowsOneOfItsStates) {
  std::atomic<bool> is_over{false};
  std::thread user([&] {
    for (std::int64_t i = 0; !is_over; ++i) {
      perform(Verb::write, i);
      perform(Verb::take);
    }
  });
  std::uint64_t written = 0;
  for (int looks = 0; looks < 300; ++looks) {
    const PeekedElement box = peek(1);
    if (!box.is_known) continue;
    EXPECT_GE(box.counts.written, written);
    written = box.counts.written;
    EXPECT_LE(box.counts.kept, 1u);
    EXPECT_EQ(box.counts.written, box.counts.taken + box.counts.kept);
  }
  is_over = true;
  user.join();
  EXPECT_TRUE(peek(1).is_known);
}

TEST_F(ElementPeek, AFileThatIsNoElementFileIsRefused) {
  EXPECT_THROW(peek_elements(directory_.path() / "nothing"), EnvironmentError);
}

}  // namespace
}  // namespace eventspace
