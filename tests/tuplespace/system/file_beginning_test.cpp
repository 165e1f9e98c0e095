#include "tuplespace/system/file_beginning.h"

#include <gtest/gtest.h>

#include <fstream>
#include <sstream>

#include "tests/tuplespace/temporary_directory.h"

namespace eventspace {
namespace {

TEST(FileBeginning, AFileIsReadUpToTheLimit) {
  const test::TemporaryDirectory directory;
  const auto file = directory.path() / "file";
  const std::string text = std::string(4096, 'a') + std::string(10000, 'b');
  std::ofstream(file) << text;
  EXPECT_EQ(beginning_of_file(file), text);
  for (const std::size_t most : {0, 1, 4096, 4097, 14096, 14097})
    EXPECT_EQ(beginning_of_file(file, most), text.substr(0, most)) << most;
}

TEST(FileBeginning, AMissingFileIsEmptyAndAFileOfProcIsWhole) {
  EXPECT_EQ(beginning_of_file("/proc/no/such/file"), "");
  EXPECT_TRUE(beginning_of_file("/proc/self/status").starts_with("Name:"));
}

TEST(FileBeginning, AStreamIsReadUpToTheLimit) {
  std::istringstream in("abcdef");
  EXPECT_EQ(beginning_of(in, 4), "abcd");
  EXPECT_EQ(beginning_of(in, 4), "ef");
}

}  // namespace
}  // namespace eventspace
