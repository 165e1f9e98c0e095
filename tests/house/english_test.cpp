// That comments are plain English: subject, verb, object. The phrases that are counted are only the obvious
// ones; a correct sentence may have one, so that some are allowed.
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <gmock/gmock.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <map>

#include "tests/house/odd_phrases.h"

namespace eventspace::house {
namespace {

namespace fs = std::filesystem;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

struct Folder {
  std::size_t lines{0};
  std::vector<std::string> odd{};
};

std::map<std::string, Folder> folders() {
  std::map<std::string, Folder> all;
  for (const char* const top : {"tuplespace", "paths", "collectors", "scopes", "pathmaps", "monitors", "apps",
                                "bench", "examples", "include", "python", "tests"}) {
    for (const auto& entry : fs::recursive_directory_iterator(fs::path(SOURCE_DIR) / top)) {
      const std::string extension = entry.path().extension();
      if (extension != ".h" && extension != ".cpp" && extension != ".c") continue;
      const fs::path path = fs::relative(entry.path(), SOURCE_DIR);
      Folder& folder = all[path.parent_path().string()];
      const Comments comments = comments_of(entry.path());
      folder.lines += comments.lines;
      for (const std::string& text : comments.texts)
        for (const std::string& odd : find_odd_phrases(text))
          folder.odd.push_back(fmt::format("{}: {}", path.string(), odd));
    }
  }
  return all;
}

TEST(English, AFolderHasAtMostThreeOddPhrasesInAHundredLinesOfComments) {
  std::size_t lines = 0;
  for (const auto& [name, folder] : folders()) {
    lines += folder.lines;
    EXPECT_LE(folder.odd.size(), std::max<std::size_t>(2, folder.lines * 3 / 100))
        << name << " has " << folder.odd.size() << " in " << folder.lines << " lines:\n  "
        << fmt::format("{}", fmt::join(folder.odd, "\n  "));
  }
  EXPECT_GT(lines, 20'000U);
}

TEST(FindOddPhrases, KnowsInvertedSentencesAndClausesInThePlaceOfNouns) {
  EXPECT_THAT(find_odd_phrases("Returns all. Of each thread, the newest counts."),
              ElementsAre(HasSubstr("of each thread the newest")));
  EXPECT_THAT(find_odd_phrases("Returns what was read, or what is left."),
              ElementsAre(HasSubstr("what was read"), HasSubstr("what is left")));
  EXPECT_THAT(find_odd_phrases("It is no process of the plan."), ElementsAre(HasSubstr("is no process")));
  EXPECT_THAT(find_odd_phrases("Nobody\nis told"),
              ElementsAre(HasSubstr("nobody is told"), HasSubstr("told")));
}

TEST(FindOddPhrases, LetsPlainSentencesPass) {
  EXPECT_THAT(
      find_odd_phrases(
          "Returns the number of unread events. The process is no longer read; of course it may run."),
      IsEmpty());
  EXPECT_THAT(find_odd_phrases("The size of the ring, in bytes"), IsEmpty());
}

TEST(CommentsOf, JoinsLinesAndLeavesOutStringsAndLinesForTools) {
  const fs::path file = fs::temp_directory_path() / fmt::format("eventspace-comments-{}.h", ::getpid());
  std::ofstream(file) << "// One\n/// two\nint x;  ///< three\nauto y = \"// four\";  // NOLINT\n";
  const Comments comments = comments_of(file);
  fs::remove(file);
  EXPECT_THAT(comments.texts, ElementsAre(" One  two", " three"));
  EXPECT_EQ(comments.lines, 3U);
}

}  // namespace
}  // namespace eventspace::house
