#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <regex>

#include "pathmaps/pathmap.h"

// Each file in faulty/ is a pathmap; the sections without faults are included from faulty/parts/. Its last
// lines give the expected faults, which must be all faults that it has:
//
//     # expect: [FILE ]LINE:COLUMN: substring of the text

namespace eventspace {
namespace {

namespace fs = std::filesystem;

const fs::path folder = fs::path(EVENTSPACE_TEST_FOLDER) / "faulty";

std::vector<Fault> expected_in(const fs::path& file) {
  static const std::regex form(R"(# expect: (\S+ )?(\d+):(\d+): (.*))");
  std::ifstream stream(file);
  std::vector<Fault> faults;
  std::smatch parts;
  for (std::string line; std::getline(stream, line);) {
    if (!std::regex_match(line, parts, form)) continue;
    const auto other = parts[1].str();
    faults.push_back({other.empty() ? file.filename().string() : other.substr(0, other.size() - 1),
                      std::stoi(parts[2]), std::stoi(parts[3]), parts[4]});
  }
  return faults;
}

std::vector<std::string> faulty_files() {
  std::vector<std::string> names;
  for (const auto& entry : fs::directory_iterator(folder)) {
    if (entry.is_regular_file()) names.push_back(entry.path().filename().string());
  }
  std::ranges::sort(names);
  return names;
}

class FaultyPathmap : public testing::TestWithParam<std::string> {
 protected:
  void SetUp() override { fs::current_path(folder); }
  void TearDown() override { fs::current_path(before_); }

 private:
  fs::path before_{fs::current_path()};
};

TEST_P(FaultyPathmap, EveryFaultIsReportedAtItsPlace) {
  const auto expected = expected_in(GetParam());
  const auto result = load_plan(GetParam());
  EXPECT_FALSE(result.plan.has_value());
  ASSERT_FALSE(expected.empty()) << "the file expects nothing";
  for (std::size_t i = 0; i < std::min(expected.size(), result.faults.size()); ++i) {
    const auto& found = result.faults[i];
    EXPECT_EQ(fs::path(found.file).filename(), fs::path(expected[i].file).filename()) << to_string(found);
    EXPECT_EQ(std::pair(found.line, found.column), std::pair(expected[i].line, expected[i].column))
        << to_string(found);
    EXPECT_NE(found.text.find(expected[i].text), std::string::npos)
        << to_string(found) << "\nexpected: " << expected[i].text;
  }
  EXPECT_EQ(result.faults.size(), expected.size()) << to_string(result.faults.back());
}

INSTANTIATE_TEST_SUITE_P(Table, FaultyPathmap, testing::ValuesIn(faulty_files()), [](const auto& file) {
  std::string name = file.param.substr(0, file.param.find('.'));
  std::ranges::replace(name, '-', '_');
  return name;
});

TEST(FaultyPathmaps, TableHasAtLeastFifty) { EXPECT_GE(faulty_files().size(), 50U); }

TEST(FaultyPathmaps, AMissingFileIsAFaultOfTheWholeFile) {
  const auto result = load_plan("nowhere.yaml");
  ASSERT_EQ(result.faults.size(), 1U);
  EXPECT_EQ(to_string(result.faults[0]), "nowhere.yaml: error: no such file: 'nowhere.yaml'");
}

TEST(FaultyPathmaps, AFolderIsNotAPathmap) {
  const auto result = load_plan(folder);
  ASSERT_EQ(result.faults.size(), 1U);
  EXPECT_NE(result.faults[0].text.find("is not a regular file"), std::string::npos);
}

}  // namespace
}  // namespace eventspace
