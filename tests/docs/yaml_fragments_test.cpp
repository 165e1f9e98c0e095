#include <gmock/gmock.h>

#include <filesystem>
#include <fstream>
#include <optional>
#include <regex>
#include <sstream>

#include "examples/extending/count_wrapper.h"
#include "examples/extending/sample_wrapper.h"
#include "examples/extending/star_generator.h"
#include "pathmaps/generators/generators.h"
#include "pathmaps/pathmap.h"
#include "paths/wrappers.h"
#include "scopes/wrappers/scope_wrappers.h"
#include "tests/docs/page.h"
#include "tests/tuplespace/temporary_directory.h"
#include "tests/tuplespace/working_directory.h"

// Loads each block of YAML in the documentation according to its note. A block without a note is a whole
// pathmap. A note is an HTML comment on the line before the block:
//
//     <!-- completed by FILE -->             the block's sections, in a pathmap that includes FILE
//     <!-- in A.B, completed by FILE -->     the content of key B of section A
//     <!-- faulty -->                        a pathmap that has faults
//
// followed by ", libraries not loaded" if the shared objects that it names are not built here: then empty
// files replace them.

namespace eventspace::docs {
namespace {

namespace fs = std::filesystem;

/// The content of a note. `keys` are the keys above the block, from the outermost.
struct Completion {
  std::vector<std::string> keys;
  std::string file;
  bool is_faulty{false};
  bool loads{true};
};

std::optional<Completion> completion_of(const std::string& note) {
  static const std::regex form(
      R"((faulty)?(?:in ([\w.-]+), )?(?:completed by (\S+?))?(, libraries not loaded)?)");
  std::smatch parts;
  if (!std::regex_match(note, parts, form)) return std::nullopt;
  if (parts[2].matched && !parts[3].matched) return std::nullopt;
  Completion completion{{}, parts[3], parts[1].matched, !parts[4].matched};
  std::istringstream keys(parts[2].str());
  for (std::string key; std::getline(keys, key, '.');) completion.keys.push_back(key);
  return completion;
}

std::string completed(const Block& block, const Completion& completion) {
  if (completion.file.empty()) return block.text;
  std::string text = "include: " + (fs::path(EVENTSPACE_SOURCE) / completion.file).string() + "\n";
  std::string indent;
  for (const std::string& key : completion.keys) {
    text += indent + key + ":\n";
    indent += "  ";
  }
  for (const std::string& line : lines_of(block.text)) text += line.empty() ? "\n" : indent + line + "\n";
  return text;
}

/// A directory in which relative paths of a block lead to empty files. It is the working directory during its
/// lifetime.
class LibraryDirectory {
 public:
  explicit LibraryDirectory(const std::string& yaml) {
    static const std::regex library(R"(library: ([\w./-]+))");
    for (std::sregex_iterator at(yaml.begin(), yaml.end(), library), end; at != end; ++at) {
      const fs::path file = directory_.path() / (*at)[1].str();
      fs::create_directories(file.parent_path());
      std::ofstream{file};
    }
  }

 private:
  test::TemporaryDirectory directory_;
  test::WorkingDirectory working_directory_{directory_.path()};
};

/// The faults of the block, as lines.
std::string faults_of(const Block& block, const Completion& completion, const std::string& name) {
  LoadOptions options;
  options.load_libraries = completion.loads;
  const LibraryDirectory directory(completion.loads ? "" : block.text);
  std::string faults;
  for (const Fault& fault : parse_plan(completed(block, completion), name, options).faults)
    faults += to_string(fault) + "\n";
  return faults;
}

class YamlOfThePages : public testing::TestWithParam<fs::path> {
 protected:
  static void SetUpTestSuite() {
    if (WrapperRegistry::instance().find("count") != nullptr) return;
    WrapperRegistry::instance().add(example::count_wrapper());
    ScopeWrapperRegistry::instance().add(example::sample_wrapper());
    GeneratorRegistry::instance().add(example::star_generator());
  }
};

TEST_P(YamlOfThePages, IsWhatItSaysItIs) {
  for (const Block& block : blocks_of(GetParam())) {
    if (block.language != "yaml") continue;
    const std::string place = GetParam().filename().string() + ":" + std::to_string(block.line);
    const auto completion = completion_of(block.note);
    if (!completion) {
      ADD_FAILURE() << place << ": the note before the block says nothing that is known: " << block.note;
      continue;
    }
    const std::string faults = faults_of(block, *completion, place);
    EXPECT_EQ(!faults.empty(), completion->is_faulty) << place << "\n" << faults;
  }
}

INSTANTIATE_TEST_SUITE_P(Pages, YamlOfThePages, testing::ValuesIn(pages()), [](const auto& page) {
  return std::regex_replace(page.param.stem().string(), std::regex("\\W"), "_");
});

TEST(YamlOfAPage, ThatIsFaultyIsNoticed) {
  const auto blocks =
      blocks_in("<!-- in limits, completed by examples/ring/ring.yaml -->\n```yaml\nlease: 5\n```\n");
  ASSERT_EQ(blocks.size(), 1u);
  const auto completion = completion_of(blocks.at(0).note);
  ASSERT_TRUE(completion);
  EXPECT_THAT(faults_of(blocks.at(0), *completion, "page"), testing::HasSubstr("found '5' for 'lease'"));
}

TEST(YamlOfAPage, WithAnUnknownNoteIsNoticed) {
  EXPECT_FALSE(completion_of("completed by"));
  EXPECT_FALSE(completion_of("in scopes"));
  EXPECT_FALSE(completion_of("something else"));
}

/// Whether the first block of the page is the file, without the comment in its first line.
bool begins_with(const std::string& page, const std::string& file) {
  const auto blocks = blocks_of(fs::path(EVENTSPACE_SOURCE) / page);
  const std::string text = content_of(fs::path(EVENTSPACE_SOURCE) / file);
  return !blocks.empty() && text.substr(text.find('\n') + 1) == blocks.front().text;
}

TEST(YamlOfAPage, IsThatOfTheExampleThatThePageIsAbout) {
  EXPECT_TRUE(begins_with("docs/pathmap.md", "examples/ring/ring.yaml"));
  EXPECT_TRUE(begins_with("docs/library.md", "examples/workshop/workshop.yaml"));
}

}  // namespace
}  // namespace eventspace::docs
