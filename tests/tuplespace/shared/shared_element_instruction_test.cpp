// Kills a process between any two instructions of one operation: the operation has happened entirely or not
// at all.
#include <fcntl.h>
#include <gtest/gtest.h>
#include <linux/futex.h>

#include <algorithm>
#include <iostream>
#include <limits>
#include <optional>
#include <random>
#include <sstream>

#include "tests/tuplespace/shared/shared_element_talk.h"
#include "tests/tuplespace/stepper.h"
#include "tests/tuplespace/trace/segment_talk.h"
#include "tuplespace/shared/element_file_layout.h"
#include "tuplespace/system/mapping.h"

namespace eventspace {
namespace {

using test::Stepper;

// The first operation of a process also runs thousands of instructions of the dynamic linker; warming up
// keeps them out of the traced operation.
void warm_up(SharedElement& other) {
  for (int i = 0; i < 3; ++i) test::perform(other, test::write_of(Tuple::of({"x"})));
  test::perform(other, test::write_of(test::one(1)));
  for (const From from : {From::at, From::newest, From::oldest}) {
    Operation take = test::fetch_of(Verb::take, from, 2);
    other.perform(take);
  }
  test::perform(other, test::discard_through(1));
}

/// Runs an operation on the first element of a file in a child, instruction by instruction.
Stepper step_through(const std::filesystem::path& file, Operation operation) {
  std::optional<ElementFileView> view;  // in the child
  return {[&] {
            view.emplace(file);
            warm_up(view->elements().back());
          },
          [&] { view->elements().front().perform(operation); }};
}

Tuple text(std::size_t size) { return Tuple::of({std::string(size, 'x')}); }
Operation write_text(std::size_t size) { return test::write_of(text(size)); }
Operation take(From from, std::uint64_t number = 0) { return test::fetch_of(Verb::take, from, number); }

/// An element in a state in which the operation has the most to do.
struct Scene {
  const char* name;
  std::size_t threshold;
  WhenFull when_full;
  std::vector<Operation> before;
  Operation operation;
  bool changes_nothing{false};
};
std::ostream& operator<<(std::ostream& out, const Scene& scene) { return out << scene.name; }

class KilledAtEachInstructionTest : public testing::TestWithParam<Scene> {
 protected:
  /// Makes a file with the element in the state before the scene's operation, and another element for warming
  /// up.
  std::unique_ptr<ElementFile> prepared() {
    const Scene& scene = GetParam();
    const Signature signature{FieldType::text};
    auto file = std::make_unique<ElementFile>(ElementFile::Config{
        {"wind", "n1", "p0", 0xfeed},
        {{{"texts", signature, scene.threshold, scene.when_full}, SharedElement::min_room},
         {{"other", signature}}},
        directory.path()});
    for (Operation operation : scene.before) file->view().elements().front().perform(operation);
    return file;
  }

  /// Returns all of the element's state that callers can see.
  static std::string look_at(SharedElement& element) {
    std::ostringstream text;
    const Element::Counts counts = element.counts();
    text << counts.written << " written, " << counts.taken << " taken, " << counts.discarded << " discarded, "
         << counts.dropped << " dropped, " << counts.refused << " refused, " << counts.kept << " kept:";
    Operation read = test::fetch_of(Verb::read, From::after, 0);
    for (element.perform(read); read.status == Status::ok; element.perform(read))
      text << " #" << read.sequence << " of " << read.tuple.encoded().size() << " bytes, missed "
           << read.missed;
    return text.str();
  }

  /// Returns the content of the file as other processes would find it if the process were killed now.
  static std::vector<char> as_after_its_death(const Mapping& memory, const Stepper& process) {
    const auto* const begin = reinterpret_cast<const char*>(memory.data());
    std::vector<char> content(begin, begin + memory.size());
    auto& head =
        *reinterpret_cast<shared_element::Head*>(content.data() + element_file_layout::elements_offset(2));
    auto& word = reinterpret_cast<std::atomic<std::uint32_t>&>(head.control.lock);
    if ((word & FUTEX_TID_MASK) == static_cast<std::uint32_t>(process.pid()))
      word = (word & FUTEX_WAITERS) | FUTEX_OWNER_DIED;  // does the kernel's part
    return content;
  }

  std::string look_at(const std::vector<char>& content) {
    const std::filesystem::path copy = directory.path() / "copy.elements";
    test::write_file(copy, content);
    ElementFileView view(copy);
    return look_and_use(view.elements().front());
  }

  static std::string look_and_use(SharedElement& element) {
    std::string seen = look_at(element);
    Operation next = write_text(3);
    element.perform(next);
    EXPECT_TRUE(next.status == Status::ok || next.status == Status::full) << "the element is unusable";
    return seen;
  }

  /// Returns the state that other processes see if the process is killed after this many instructions, or
  /// after the operation if it has fewer.
  std::string look_after_death(std::size_t instructions) {
    const auto file = prepared();
    {
      Stepper stepper = step_through(file->view().path(), GetParam().operation);
      for (std::size_t i = 0; i < instructions && stepper.step(); ++i) {
      }
    }
    return look_and_use(file->view().elements().front());
  }

  test::TemporaryDirectory directory;
};

std::vector<Scene> scenes() {
  const auto write = write_text(10);  // 12 bytes; there is room for 5
  const std::vector<Operation> five(5, write);
  const auto then = [](std::vector<Operation> first, std::initializer_list<Operation> more) {
    first.insert(first.end(), more);
    return first;
  };
  const auto gaps = then(five, {take(From::at, 2), take(From::at, 3), take(From::at, 4)});
  const std::vector<Operation> three(3, write);
  const auto gap = then(three, {take(From::at, 3), write, write});
  const auto gaps_in_history = then(gap, {write, take(From::at, 6), write, write});
  return {
      {"Write", 8, WhenFull::wait, {write}, write},
      {"WriteThatClosesGaps", 8, WhenFull::wait, gaps, write_text(20)},
      {"WriteThatDiscardsTheOldest", 2, WhenFull::discard, three, write},
      {"WriteThatDiscardsManyForRoom", 8, WhenFull::discard, five, write_text(50)},
      {"WriteThatDiscardsBehindAGap", 2, WhenFull::discard, gap, write},
      {"WriteThatDiscardsBehindMoreGaps", 2, WhenFull::discard, gaps_in_history, write},
      {"WriteThatIsRefused", 8, WhenFull::wait, {write}, write_text(100)},
      {"WriteThatFindsNoRoom", 8, WhenFull::wait, five, write, true},
      {"TakeOfTheOldestBeforeAGap", 8, WhenFull::wait, gaps, take(From::oldest)},
      {"TakeFromTheMiddle", 8, WhenFull::wait, five, take(From::at, 3)},
      {"TakeOfTheNewestBehindAGap", 8, WhenFull::wait, gaps, take(From::newest)},
      {"TakeOfTheLast", 8, WhenFull::wait, {write}, take(From::oldest)},
      {"Discard", 8, WhenFull::wait, gaps, test::discard_through(4)},
      {"Read", 8, WhenFull::wait, five, test::fetch_of(Verb::read, From::at, 3), true},
  };
}
INSTANTIATE_TEST_SUITE_P(Scenes, KilledAtEachInstructionTest, testing::ValuesIn(scenes()),
                         [](const auto& given) { return std::string(given.param.name); });

TEST_P(KilledAtEachInstructionTest, ItHasHappenedEntirelyOrNotAtAll) {
  const auto file = prepared();
  const std::filesystem::path path = file->view().path();
  const Mapping memory(FileHandle(::open(path.c_str(), O_RDONLY)), file->view().bytes(), false, path);
  Stepper process = step_through(path, GetParam().operation);
  std::vector<char> content = as_after_its_death(memory, process);
  const std::string before = look_at(content);
  std::vector<std::string> seen{before};
  std::size_t instructions = 0;
  for (bool more = true; more; ++instructions) {
    more = process.step();
    std::vector<char> next = as_after_its_death(memory, process);
    if (next == content) continue;
    content = std::move(next);
    seen.push_back(look_at(content));
  }
  if (instructions == 1) GTEST_SKIP() << "processes cannot be traced here";
  std::cout << instructions << " instructions, " << seen.size() << " states of the memory\n";
  const std::string after = seen.back();
  EXPECT_EQ(before == after, GetParam().changes_nothing) << after;
  const auto changed =
      std::find_if(seen.begin(), seen.end(), [&](const auto& text) { return text != before; });
  for (auto state = changed; state != seen.end(); ++state) ASSERT_EQ(*state, after) << "before: " << before;
}

TEST_P(KilledAtEachInstructionTest, TheSameWhenItIsReallyKilled) {
  const std::string before = look_after_death(0);
  const std::string after = look_after_death(std::numeric_limits<std::size_t>::max());
  const unsigned seed = std::random_device{}();
  SCOPED_TRACE("seed " + std::to_string(seed));
  std::mt19937 random(seed);
  for (int round = 0; round < 30; ++round) {
    const std::size_t instructions = random() % 2000;
    const std::string seen = look_after_death(instructions);
    ASSERT_TRUE(seen == before || seen == after) << "after " << instructions << " instructions\n"
                                                 << seen << "\nbefore: " << before << "\nafter:  " << after;
  }
}

}  // namespace
}  // namespace eventspace
