#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <chrono>

#include "pathmaps/reading/document.h"
#include "pathmaps/reading/mapping.h"
#include "pathmaps/reading/name_index.h"
#include "pathmaps/reading/names.h"
#include "pathmaps/reading/scalars.h"

namespace eventspace::reading {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::SizeIs;

class Reading : public testing::Test {
 protected:
  const Value& parse(std::string_view yaml) {
    const auto* value = document_.parse(yaml, faults_.add_file("x.yaml"), faults_);
    return value != nullptr ? *value : document_.add({});
  }
  std::vector<std::string> keys(const Value& mapping) {
    std::vector<std::string> keys;
    for (const auto& entry : mapping.entries) keys.push_back(entry.key + "=" + entry.value->text);
    return keys;
  }

  Document document_;
  Faults faults_;
};

TEST_F(Reading, PlacesCountFromOne) {
  const auto& root = parse("a: 1\nb:\n  - x\n");
  EXPECT_EQ(root.find("a")->place, (Place{0, 1, 4}));
  EXPECT_EQ(root.find("b")->items.at(0)->place, (Place{0, 3, 5}));
  EXPECT_EQ(root.entries.at(1).place, (Place{0, 2, 1}));
}

TEST_F(Reading, UnescapedTextHasAPlace) {
  const auto& root = parse(
      "\xEF\xBB\xBF"
      "p: a b\r\nd: \"a 'b'\"\ns: {t: 'a b'}\nm: \"\xC3\xA4\"\n");
  EXPECT_EQ(root.find("p")->text_place, (Place{0, 1, 4}));
  EXPECT_EQ(root.find("d")->text_place, (Place{0, 2, 5}));
  EXPECT_EQ(root.find("s")->find("t")->text_place, (Place{0, 3, 9}));
  EXPECT_EQ(root.find("m")->text_place, (Place{0, 4, 5}));
}

TEST_F(Reading, EscapedOrFoldedTextHasNoPlace) {
  const auto& root =
      parse("a: 'it''s'\nb: \"a\\x41\"\nc: >\n  folded\n  text\nd: a\n  b\ne: &x a\nf: \"a\n\n  b\"\n");
  for (const auto* key : {"a", "b", "c", "d", "e", "f"}) EXPECT_FALSE(root.find(key)->text_place) << key;
}

TEST_F(Reading, AnAliasIsTheSameObjectAsItsAnchor) {
  const auto& root = parse("a: &x [1, 2]\nb: *x\n");
  EXPECT_EQ(root.find("a"), root.find("b"));
  EXPECT_EQ(root.weight, 7U);
}

TEST_F(Reading, OwnKeysPrecedeAndOverrideMergedOnes) {
  const auto& root = parse("x: &x {a: 1, b: 2}\ny: &y {b: 3, c: 4}\nz: {<<: [*x, *y], a: 9}\n");
  EXPECT_THAT(keys(*root.find("z")), ElementsAre("a=9", "b=2", "c=4"));
}

TEST_F(Reading, QuotedWordsAreText) {
  const auto& root = parse("a: '1'\nb: 1\nc: !!str 1\n");
  EXPECT_TRUE(root.find("a")->quoted);
  EXPECT_FALSE(root.find("b")->quoted);
  EXPECT_TRUE(root.find("c")->quoted);
}

TEST_F(Reading, AListHasAtMostTenThousandItems) {
  static constexpr std::array keys{Key{"list"}};
  static constexpr Shape shape{"test", keys};
  const auto list_of = [this](std::size_t count) -> const Value& {
    std::string yaml = "list: [";
    for (std::size_t i = 0; i < count; ++i) yaml += "a,";
    return parse(yaml + "]");
  };
  const Mapping most(&list_of(10'000), shape, faults_);
  EXPECT_THAT(most.items("list"), SizeIs(10'000));
  EXPECT_THAT(most.words("list"), SizeIs(10'000));
  EXPECT_FALSE(faults_.any());
  const Mapping too_many(&list_of(10'001), shape, faults_);
  EXPECT_THAT(too_many.items("list"), IsEmpty());
  EXPECT_TRUE(faults_.any());
  Faults of_words;
  of_words.add_file("x.yaml");
  EXPECT_THAT(Mapping(&list_of(10'001), shape, of_words).words("list"), IsEmpty());
  EXPECT_TRUE(of_words.any());
}

TEST_F(Reading, BothEndsOfARangeAreAllowed) {
  using std::chrono::milliseconds;
  const auto integer = [this](std::string_view text) {
    return read_integer(*parse(text).find("a"), "a", {3, 7}, faults_);
  };
  EXPECT_EQ(integer("a: 3"), 3);
  EXPECT_EQ(integer("a: 7"), 7);
  const auto bytes = [this](std::string_view text) {
    return read_bytes(*parse(text).find("a"), "a", {1024, 2048}, faults_);
  };
  EXPECT_EQ(bytes("a: 1KiB"), 1024);
  EXPECT_EQ(bytes("a: 2KiB"), 2048);
  const auto duration = [this](std::string_view text) {
    return read_duration(*parse(text).find("a"), "a", {milliseconds(3), milliseconds(7)}, faults_);
  };
  EXPECT_EQ(duration("a: 3ms"), milliseconds(3));
  EXPECT_EQ(duration("a: 7ms"), milliseconds(7));
  EXPECT_FALSE(faults_.any());
  for (const auto* text : {"a: 2", "a: 8"}) EXPECT_FALSE(integer(text)) << text;
  for (const auto* text : {"a: 1023", "a: 2049"}) EXPECT_FALSE(bytes(text)) << text;
  for (const auto* text : {"a: 2ms", "a: 8ms"}) EXPECT_FALSE(duration(text)) << text;
  EXPECT_THAT(faults_.report(), SizeIs(6));
}

TEST_F(Reading, RangesAreExpanded) {
  EXPECT_THAT(expand_names({"t[0-2]", {}}, 10, faults_), ElementsAre("t0", "t1", "t2"));
  EXPECT_THAT(expand_names({"r[1-2]n[0-1]", {}}, 10, faults_), ElementsAre("r1n0", "r1n1", "r2n0", "r2n1"));
  EXPECT_THAT(expand_names({"main", {}}, 10, faults_), ElementsAre("main"));
  EXPECT_FALSE(faults_.any());
}

TEST_F(Reading, RangesAreBounded) {
  faults_.add_file("x.yaml");
  EXPECT_THAT(expand_names({"a[0-9]b[0-9]", {}}, 99, faults_), IsEmpty());
  EXPECT_THAT(expand_names({"a[0-9223372036854775807]", {}}, 99, faults_), IsEmpty());
  EXPECT_THAT(faults_.report(), SizeIs(2));
}

TEST_F(Reading, NamesAreSelectedByGlob) {
  faults_.add_file("x.yaml");
  NameIndex names("thread");
  for (const auto* name : {"t0", "t1", "main"}) names.add({name, {}}, faults_);
  EXPECT_THAT(names.select(Word{"t*", {}}, faults_), ElementsAre(0, 1));
  EXPECT_THAT(names.select(std::vector<Word>{{"main", {}}, {"t[1-1]", {}}, {"m*", {}}}, faults_),
              ElementsAre(1, 2));
  EXPECT_FALSE(faults_.any());
  EXPECT_THAT(names.select(Word{"t[1-9]", {}}, faults_), ElementsAre(1));
  EXPECT_THAT(faults_.report(), SizeIs(1)) << "there is no t2";
}

}  // namespace
}  // namespace eventspace::reading
