#include "monitors/top/terminal/frame.h"

#include <gmock/gmock.h>

#include <random>

#include "monitors/top/terminal/frame_writer.h"
#include "monitors/top/terminal/keys.h"
#include "monitors/top/terminal/page.h"
#include "tests/monitors/top/terminal_emulator.h"

// The parts of the live screen that are independent of EventSpace: frames, their output, keys, tables.
namespace eventspace::top {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing_commands::TerminalEmulator;

TEST(TopFrame, TextThatIsCutEndsInAnEllipsis) {
  Frame frame({1, 8});
  EXPECT_EQ(frame.put(0, 2, "abcdefgh"), 6U);
  EXPECT_EQ(frame.line(0), "  abcde…");
}

TEST(TopFrame, NothingIsDrawnOutsideTheFrame) {
  Frame frame({2, 4});
  EXPECT_EQ(frame.put(2, 0, "x"), 0U);
  EXPECT_EQ(frame.put(0, 4, "x"), 0U);
  frame.put_right(1, 0, "123456", Style::plain, 3);
  EXPECT_EQ(frame.text(), "\n12…\n");
}

TEST(TopFrame, CharactersThatMoveTheCursorOrAreNotOneColumnWideAreQuestionMarks) {
  Frame frame({1, 40});
  frame.put(0, 0, "a\x1b[2Jb\tc\rd \xc2\x9b \xff \xe4\xb8\xad \xcc\x81 \xe2\x80\xae é ж");
  EXPECT_EQ(frame.line(0), "a?[2Jb?c?d ? ? ? ? ? é ж");
}

TEST(TopFrame, UnfinishedAndOverlongUtf8IsAQuestionMark) {
  Frame frame({1, 40});
  frame.put(0, 0, "\xe4\xb8");
  frame.put(0, 5, "\xc0\xafx");
  EXPECT_EQ(frame.line(0), "??   ??x");
}

TEST(TopFrame, AsciiHasReplacements) {
  Frame frame({1, 12}, Charset::ascii);
  frame.put(0, 0, "▲▼▶é abcdefghijk");
  EXPECT_EQ(frame.line(0), "^v>? abcdef~");
}

// --- writing ---

Frame random_frame(std::mt19937& random, Size size) {
  Frame frame(size);
  for (int i = 0; i < 12; ++i) {
    const std::string text(random() % 20, static_cast<char>('a' + random() % 26));
    frame.put(random() % size.rows, random() % size.columns, text, static_cast<Style>(random() % 8));
  }
  frame.choose(random() % size.rows);
  return frame;
}

TEST(TopFrameWriter, TheTerminalShowsTheNextFrameAfterAnyOther) {
  const unsigned seed = std::random_device{}();
  SCOPED_TRACE("seed " + std::to_string(seed));
  std::mt19937 random(seed);
  TerminalEmulator terminal(9, 31);
  terminal.feed("something else\r\n");
  Frame shown = random_frame(random, {9, 31});
  terminal.feed(write_difference(nullptr, shown, true));
  for (int i = 0; i < 300; ++i) {
    const Frame next = random_frame(random, {9, 31});
    terminal.feed(write_difference(&shown, next, i % 2 == 0));
    ASSERT_EQ(terminal.text(), next.text());
    shown = next;
  }
  EXPECT_THAT(terminal.faults(), IsEmpty());
}

TEST(TopFrameWriter, EqualCellsAreNotWritten) {
  Frame frame({24, 80});
  frame.put(3, 10, "12.3k", Style::strong);
  Frame next = frame;
  EXPECT_EQ(write_difference(&frame, next, true), "");
  next.put(3, 14, "M", Style::strong);
  EXPECT_EQ(write_difference(&frame, next, true), "\x1b[4;15H\x1b[0;1mM\x1b[0m");
}

TEST(TopFrameWriter, AnotherSizeIsRedrawn) {
  const Frame frame({3, 10});
  EXPECT_THAT(write_difference(&frame, Frame({3, 12}), true), HasSubstr("\x1b[2J"));
}

TEST(TopFrameWriter, WithoutColourNoneIsWritten) {
  Frame frame({1, 40});
  for (int style = 0; style < 8; ++style)
    frame.put(0, static_cast<std::size_t>(style) * 4, "text", static_cast<Style>(style));
  TerminalEmulator terminal(1, 40);
  terminal.feed(write_difference(nullptr, frame, false));
  EXPECT_FALSE(terminal.has_colour());
  terminal.feed(write_difference(nullptr, frame, true));
  EXPECT_TRUE(terminal.has_colour());
}

// --- keys ---

TEST(TopKeys, SequencesAreKeysEvenInPieces) {
  KeyReader keys;
  EXPECT_THAT(keys.read("a\x1b[A\x1bOB"),
              ElementsAre(Key{KeyName::character, "a"}, Key{KeyName::up}, Key{KeyName::down}));
  EXPECT_THAT(keys.read("\x1b"), IsEmpty());
  EXPECT_TRUE(keys.is_within_key());
  EXPECT_THAT(keys.read("["), IsEmpty());
  EXPECT_THAT(keys.read("5"), IsEmpty());
  EXPECT_THAT(keys.read("~"), ElementsAre(Key{KeyName::page_up}));
  EXPECT_FALSE(keys.is_within_key());
}

TEST(TopKeys, ALoneEscapeIsEscape) {
  KeyReader keys;
  keys.read("\x1b");
  EXPECT_THAT(keys.pause(), ElementsAre(Key{KeyName::escape}));
  EXPECT_THAT(keys.pause(), IsEmpty());
  EXPECT_THAT(keys.read("\x1bq"), ElementsAre(Key{KeyName::escape}, Key{KeyName::character, "q"}));
}

TEST(TopKeys, UnknownSequencesAndControlsAreSwallowedWhole) {
  KeyReader keys;
  EXPECT_THAT(keys.read("\x1b[1;5Aq\x1b[200~\x01"), ElementsAre(Key{KeyName::character, "q"}));
  EXPECT_THAT(keys.read("\x1b[" + std::string(1000, '1')), IsEmpty());
  EXPECT_FALSE(keys.is_within_key());
}

TEST(TopKeys, CharactersOfSeveralBytesAreOneKey) {
  KeyReader keys;
  EXPECT_THAT(keys.read("\xc3"), IsEmpty());
  EXPECT_THAT(keys.read("\xa9\r\x7f\t"), ElementsAre(Key{KeyName::character, "é"}, Key{KeyName::enter},
                                                     Key{KeyName::backspace}, Key{KeyName::tab}));
}

TEST(TopKeys, GarbageIsIgnored) {
  std::mt19937 random(7);
  KeyReader keys;
  for (int i = 0; i < 20000; ++i) {
    const char byte = static_cast<char>(random());
    for (const Key& key : keys.read({&byte, 1})) EXPECT_EQ(key.name == KeyName::character, !key.text.empty());
    if (i % 7 == 0) keys.pause();
  }
}

// --- tables ---

Page page_of_numbers() {
  Page page;
  page.columns = {
      {"NAME", 6}, {"RATE", 6, true, true, true}, {"MORE", 10, false, false, false, 1}, {"REST", 8}};
  for (const char* const rate : {"2", "9", "", "2", "5"}) {
    Row row;
    row.id = page.rows.size();
    row.fields = {{"r" + std::to_string(row.id), static_cast<double>(row.id)},
                  {rate, *rate == 0 ? Field{}.key : std::stod(rate)},
                  {"more"},
                  {"rest"}};
    page.rows.push_back(row);
  }
  return page;
}

std::vector<std::uint64_t> order_of(const Page& page) {
  std::vector<std::uint64_t> ids;
  for (const Row& row : page.rows) ids.push_back(row.id);
  return ids;
}

TEST(TopTable, IsSortedStablyWithUnknownValuesLast) {
  Page page = page_of_numbers();
  sort_rows(page, 1, false);
  EXPECT_THAT(order_of(page), ElementsAre(1, 4, 0, 3, 2));
  page = page_of_numbers();
  sort_rows(page, 1, true);
  EXPECT_THAT(order_of(page), ElementsAre(0, 3, 4, 1, 2));
}

TEST(TopTable, LeavesOutTheMostDispensableColumnsFirst) {
  const Page page = page_of_numbers();
  EXPECT_THAT(columns_that_fit(page, 60), ElementsAre(0, 1, 2, 3));
  EXPECT_THAT(columns_that_fit(page, 30), ElementsAre(0, 1, 3));
  EXPECT_THAT(columns_that_fit(page, 5), ElementsAre(0, 1, 3));
}

TEST(TopTable, IsAlignedBelowItsTitles) {
  Frame frame({3, 30});
  draw_table(frame, 0, page_of_numbers(), 0, 2, 1, false);
  EXPECT_EQ(frame.text(), "  NAME    ▼RATE REST\n  r0          2 rest\n  r1          9 rest\n");
}

}  // namespace
}  // namespace eventspace::top
