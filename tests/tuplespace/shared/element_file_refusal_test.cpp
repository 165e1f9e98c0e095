// Files that are not the element files they should be, and memory that another process has overwritten: each
// is refused with a reason, or is harmless.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstring>
#include <limits>
#include <random>

#include "tests/error_text.h"
#include "tests/tuplespace/shared/shared_element_talk.h"
#include "tests/tuplespace/trace/segment_talk.h"
#include "tuplespace/shared/element_file_layout.h"

namespace eventspace {
namespace {

using namespace element_file_layout;
using namespace std::chrono_literals;
using testing::HasSubstr;

/// Calls every function of an element, each for at most a millisecond.
void use(SharedElement& element) {
  const Deadline soon = Deadline::after(1ms);
  const Template match{std::int64_t{3}, FieldType::text};
  for (const From from : {From::oldest, From::newest, From::at, From::after}) {
    Operation read = test::fetch_of(Verb::read, from, 2, soon);
    if (from == From::oldest) read.match = &match;
    element.perform(read);
  }
  for (int i = 0; i < 4; ++i) {
    test::performed(element, test::write_of(Tuple::of({std::int64_t{i}, "some text"}), soon));
    test::performed(element, test::fetch_of(Verb::take, From::at, 3, soon));
  }
  test::performed(element, test::discard_through(3));
  test::performed(element, test::fetch_of(Verb::take, From::oldest, 0, soon));
}

/// Returns why a file is refused, or "" if it is accepted; then its elements are used.
std::string refusal_of(const std::filesystem::path& file) {
  return test::error_text<EnvironmentError>([&] {
    ElementFileView view(file);
    for (SharedElement& element : view.elements()) use(element);
  });
}

/// The bytes of a valid small file with some tuples in it, and a place for files with faults.
class ElementFileRefusalTest : public testing::Test {
 protected:
  ElementFileRefusalTest() {
    ElementFile::Config config{{"wind", "n1", "p0", 0xfeed}, {}, directory.path()};
    const Signature signature{FieldType::integer, FieldType::text};
    config.elements.push_back({{"box", signature, 4, WhenFull::wait, 60}, 100});
    config.elements.push_back({{"progress", signature, 2, WhenFull::discard, 60}, 100});
    ElementFile whole(config);
    for (SharedElement& element : whole.view().elements()) {
      for (std::int64_t n = 0; n < 4; ++n) test::performed(element, test::write_of(Tuple::of({n, "text"})));
      test::performed(element, test::fetch_of(Verb::take, From::at, 3));
    }
    good = test::content_of(whole.view().path());
  }

  std::string refusal_of(const std::vector<char>& content) {
    test::write_file(file, content);
    return eventspace::refusal_of(file);
  }
  template <class Change>
  std::string refusal_with_header(Change change) {
    std::vector<char> content = good;
    Header header;
    std::memcpy(&header, content.data(), sizeof header);
    change(header);
    seal(content, header);
    return refusal_of(content);
  }
  template <class Change>
  std::string refusal_with_entry(std::size_t index, Change change) {
    std::vector<char> content = good;
    Entry entry;
    char* const place = content.data() + directory_offset + index * sizeof entry;
    std::memcpy(&entry, place, sizeof entry);
    change(entry);
    std::memcpy(place, &entry, sizeof entry);
    Header header;
    std::memcpy(&header, content.data(), sizeof header);
    seal(content, header);
    return refusal_of(content);
  }
  static void seal(std::vector<char>& content, Header header) {
    const std::size_t most = content.size() - directory_offset;
    const std::size_t bytes = std::min<std::size_t>(header.element_count * sizeof(Entry), most);
    header.checksum = checksum(header, std::as_bytes(std::span(content).subspan(directory_offset, bytes)));
    std::memcpy(content.data(), &header, sizeof header);
  }

  [[nodiscard]] std::size_t elements_at() const { return elements_offset(2); }

  test::TemporaryDirectory directory;
  std::filesystem::path file = directory.path() / "faulty.elements";
  std::vector<char> good;
};

TEST_F(ElementFileRefusalTest, TheGoodOneIsAccepted) { EXPECT_EQ(refusal_of(good), ""); }

TEST_F(ElementFileRefusalTest, EveryTruncationIsRefused) {
  for (std::size_t size = 0; size < good.size(); size += size < elements_at() ? 7 : 64) {
    EXPECT_NE(refusal_of(std::vector<char>(good.begin(), good.begin() + static_cast<std::ptrdiff_t>(size))),
              "");
  }
  EXPECT_THAT(refusal_of({good.begin(), good.end() - 1}), HasSubstr("truncated"));
}

TEST_F(ElementFileRefusalTest, OctetsBehindTheEndAreRefused) {
  std::vector<char> longer = good;
  longer.resize(good.size() + 64);
  EXPECT_THAT(refusal_of(longer), HasSubstr("size is wrong"));
}

TEST_F(ElementFileRefusalTest, EveryFlippedBitInHeaderAndDirectoryIsRefused) {
  for (std::size_t at = 0; at < elements_at(); ++at) {
    if (at >= sizeof(Header) && at < directory_offset) continue;  // the Lifecycle may hold any value
    std::vector<char> flipped = good;
    flipped[at] = static_cast<char>(flipped[at] ^ (1 << (at % 8)));
    EXPECT_NE(refusal_of(flipped), "") << "byte " << at;
  }
}

// The lock's word may then name any thread of this machine as its holder; operations still end in time, see
// use().
TEST_F(ElementFileRefusalTest, EveryFlippedBitInTheElementsIsHarmless) {
  const unsigned seed = std::random_device{}();
  SCOPED_TRACE("seed " + std::to_string(seed));
  std::mt19937 random(seed);
  for (int round = 0; round < 300; ++round) {
    std::vector<char> flipped = good;
    const std::size_t at = elements_at() + random() % (good.size() - elements_at());
    flipped[at] = static_cast<char>(flipped[at] ^ (1 << (random() % 8)));
    EXPECT_EQ(refusal_of(flipped), "") << "byte " << at;
  }
}

// Found by fuzzing: it waited without end.
TEST_F(ElementFileRefusalTest, TheCountsOfAnElementThatALivingThreadLocksForEverAreZeros) {
  test::write_file(file, good);
  EXPECT_EQ(ElementFileView(file).elements()[0].counts().written, 4u);
  std::vector<char> locked = good;
  const auto holder = static_cast<std::uint32_t>(::getppid());
  std::memcpy(locked.data() + elements_at(), &holder, sizeof holder);
  test::write_file(file, locked);
  ElementFileView view(file);
  EXPECT_EQ(view.elements()[0].counts().written, 0u);
  EXPECT_EQ(view.elements()[1].counts().written, 4u);
}

TEST_F(ElementFileRefusalTest, NoiseInTheElementsIsHarmless) {
  const unsigned seed = std::random_device{}();
  SCOPED_TRACE("seed " + std::to_string(seed));
  std::mt19937 random(seed);
  for (int round = 0; round < 100; ++round) {
    std::vector<char> noisy = good;
    const auto one_in = 2 + random() % 40;
    for (std::size_t at = elements_at() + 3UL * 64; at < noisy.size(); ++at)
      if (random() % one_in == 0) noisy[at] = static_cast<char>(random());
    EXPECT_EQ(refusal_of(noisy), "");
  }
}

TEST_F(ElementFileRefusalTest, NoiseIsRefused) {
  std::mt19937 random(4712);
  for (int round = 0; round < 300; ++round) {
    std::vector<char> noise(random() % 5000);
    for (char& byte : noise) byte = static_cast<char>(random());
    EXPECT_NE(refusal_of(noise), "");
  }
}

TEST_F(ElementFileRefusalTest, WhatMakesNoSenseClosesTheElementAndSaysSo) {
  test::write_file(file, good);
  ElementFileView view(file);
  std::vector<char> noisy = good;
  std::fill(noisy.begin() + static_cast<std::ptrdiff_t>(elements_at() + 3UL * 64), noisy.end(), '\x5a');
  {
    // Changes this file instead of making a new one.
    std::fstream stream(file, std::ios::in | std::ios::out | std::ios::binary);
    stream.write(noisy.data(), static_cast<std::streamsize>(noisy.size()));
  }
  const Operation take = test::performed(view.elements()[0], test::fetch_of(Verb::take));
  EXPECT_EQ(take.status, Status::closed);
  EXPECT_THAT(take.reason, HasSubstr("memory of element 'box' of process p0 (pid "));
  EXPECT_THAT(take.reason, HasSubstr("is damaged: its counts"));
  ElementFileView other(file);
  EXPECT_EQ(test::perform(other.elements()[0], test::fetch_of(Verb::read)), "closed");
}

// --- forged headers and directories, with a valid checksum -------------------------------------------------

constexpr std::uint64_t huge = std::numeric_limits<std::uint64_t>::max();

TEST_F(ElementFileRefusalTest, HeadersThatLieAreRefused) {
  const std::vector<std::pair<std::string, void (*)(Header&)>> lies{
      {"layout is version 1; this program reads version 4", [](Header& h) { h.layout_version = 1; }},
      {"byte order", [](Header& h) { h.byte_order = 0x04030201; }},
      {"not an element file", [](Header& h) { ++h.magic; }},
      {"truncated", [](Header& h) { h.total_bytes = huge; }},
      {"size is wrong", [](Header& h) { h.total_bytes = 0; }},
      {"count of elements", [](Header& h) { h.element_count = std::numeric_limits<std::uint32_t>::max(); }},
      {"count of elements", [](Header& h) { h.element_count = max_elements; }},
      {"entry 0", [](Header& h) { h.element_count = 3; }},
      {"entry 0", [](Header& h) { h.element_count = 1; }},
      {"do not fill the file", [](Header& h) { h.element_count = 0; }},
      {"not terminated", [](Header& h) { std::fill(std::begin(h.node), std::end(h.node), 'n'); }}};
  for (const auto& [reason, lie] : lies) EXPECT_THAT(refusal_with_header(lie), HasSubstr(reason));
}

TEST_F(ElementFileRefusalTest, EntriesThatLieAreRefused) {
  const std::vector<std::pair<std::string, void (*)(Entry&)>> lies{
      {"threshold 0", [](Entry& e) { e.threshold = 0; }},
      {"threshold, most", [](Entry& e) { e.threshold = huge; }},
      {"threshold, more", [](Entry& e) { e.threshold = 60; }},
      {"room 0", [](Entry& e) { e.room = 0; }},
      {"room, most", [](Entry& e) { e.room = huge; }},
      {"room, allowed", [](Entry& e) { e.room = SharedElement::max_room; }},
      {"offset of the header", [](Entry& e) { e.offset = 0; }},
      {"offset beyond the end", [](Entry& e) { e.offset = huge - 63; }},
      {"offset not aligned", [](Entry& e) { e.offset += 1; }},
      {"no fields", [](Entry& e) { e.field_count = 0; }},
      {"too many fields", [](Entry& e) { e.field_count = 65; }},
      {"a field of no type", [](Entry& e) { e.fields[1] = 5; }},
      {"when_full", [](Entry& e) { e.when_full = 2; }},
      {"name without end", [](Entry& e) { std::fill(std::begin(e.name), std::end(e.name), 'x'); }}};
  for (std::size_t index = 0; index < 2; ++index) {
    for (const auto& [name, lie] : lies) EXPECT_NE(refusal_with_entry(index, lie), "") << name;
  }
}

// --- files that are not ours ------------------------------------------------------------------------------

TEST_F(ElementFileRefusalTest, ForeignFilesAreNamed) {
  EXPECT_THAT(refusal_of(std::vector<char>(4096, 'x')), HasSubstr("not an element file"));
  std::filesystem::remove(file);
  EXPECT_THAT(eventspace::refusal_of(file), HasSubstr("No such file"));
  std::filesystem::create_symlink(directory.path() / "good", file);
  EXPECT_THAT(eventspace::refusal_of(file), HasSubstr("cannot open"));
  EXPECT_NE(eventspace::refusal_of(directory.path()), "");
}

TEST_F(ElementFileRefusalTest, ASegmentIsNoElementFile) {
  const Segment segment(test::small_segment(directory.path()));
  EXPECT_THAT(eventspace::refusal_of(segment.path()), HasSubstr("not an element file"));
}

TEST_F(ElementFileRefusalTest, AFileThatOthersMayUseIsRefused) {
  test::write_file(file, good);
  ASSERT_EQ(::chmod(file.c_str(), 0620), 0);
  EXPECT_THAT(eventspace::refusal_of(file), HasSubstr("other users have access to it"));
}

TEST_F(ElementFileRefusalTest, AnotherUsersFileIsRefused) {
  test::write_file(file, good);
  if (::chown(file.c_str(), 4711, static_cast<gid_t>(-1)) != 0)
    GTEST_SKIP() << "only root can give files away";
  EXPECT_THAT(eventspace::refusal_of(file), HasSubstr("belongs to user 4711"));
}

}  // namespace
}  // namespace eventspace
