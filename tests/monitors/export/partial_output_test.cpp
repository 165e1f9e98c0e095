#include "monitors/export/partial_output.h"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstdio>
#include <fstream>

#include <eventspace/error.h>
#include "monitors/export/sinks/output_file.h"
#include "tests/error_text.h"
#include "tests/tuplespace/temporary_directory.h"

namespace eventspace::exports {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

class PartialOutputTest : public testing::Test {
 protected:
  [[nodiscard]] std::filesystem::path out() const { return directory_.path() / "out"; }
  static void write(const std::filesystem::path& file, const std::string& text) {
    std::ofstream(file) << text;
  }
  static std::string text_of(const std::filesystem::path& file) {
    std::ifstream in(file);
    return {std::istreambuf_iterator<char>(in), {}};
  }
  [[nodiscard]] std::string refusal(const PartialOutput::Config& config) const {
    return test::error_text<EnvironmentError>([&] { PartialOutput output(config); });
  }
  [[nodiscard]] PartialOutput::Config directory(bool replaces = false) const {
    return {out(), true, replaces, "marker"};
  }

  test::TemporaryDirectory directory_;
};

TEST_F(PartialOutputTest, AFileGetsItsNameWhenItIsComplete) {
  PartialOutput output({.final_place = out()});
  OutputFile file(output.place());
  file.append("whole");
  file.flush();
  EXPECT_FALSE(std::filesystem::exists(out()));
  output.commit();
  EXPECT_EQ(text_of(out()), "whole");
  struct stat status {};
  ASSERT_EQ(::stat(out().c_str(), &status), 0);
  EXPECT_EQ(status.st_mode & 0777, 0600u);
  EXPECT_THAT(directory_.files(), ElementsAre("out"));
}

TEST_F(PartialOutputTest, WithoutACommitNothingIsLeft) {
  {
    PartialOutput output({.final_place = out()});
    write(output.place(), "half");
    PartialOutput tree(directory());
    std::filesystem::create_directories(tree.place() / "deep");
    write(tree.place() / "deep" / "file", "half");
  }
  EXPECT_THAT(directory_.files(), IsEmpty());
}

TEST_F(PartialOutputTest, AnExistingFileIsReplacedOnlyOnRequest) {
  write(out(), "old");
  EXPECT_THAT(refusal({.final_place = out()}), AllOf(HasSubstr("already exists"), HasSubstr("--force")));
  PartialOutput output({.final_place = out(), .replaces = true});
  write(output.place(), "new");
  EXPECT_EQ(text_of(out()), "old");
  output.commit();
  EXPECT_EQ(text_of(out()), "new");
}

TEST_F(PartialOutputTest, AFileCreatedInTheMeantimeIsNotReplaced) {
  PartialOutput output({.final_place = out()});
  write(out(), "of another program");
  EXPECT_THROW(output.commit(), EnvironmentError);
  EXPECT_EQ(text_of(out()), "of another program");
}

TEST_F(PartialOutputTest, ADirectoryIsReplacedOnlyIfItIsAnExport) {
  std::filesystem::create_directory(out());
  write(out() / "thesis", "precious");
  EXPECT_THAT(refusal(directory(true)), HasSubstr("not a directory that contains marker"));
  EXPECT_EQ(text_of(out() / "thesis"), "precious");
  write(out() / "marker", "");
  {
    PartialOutput output(directory(true));
    std::filesystem::create_directory(output.place());
    write(output.place() / "marker", "new");
    output.commit();
  }
  EXPECT_EQ(text_of(out() / "marker"), "new");
  EXPECT_FALSE(std::filesystem::exists(out() / "thesis"));
  EXPECT_THAT(directory_.files(), ElementsAre("out"));
}

TEST_F(PartialOutputTest, AnExportThatCannotBeReplacedIsKept) {
  std::filesystem::create_directory(out());
  write(out() / "marker", "old");
  {
    PartialOutput output(directory(true));  // its directory is never made
    EXPECT_THAT([&] { output.commit(); },
                testing::ThrowsMessage<EnvironmentError>(HasSubstr("No such file or directory")));
  }
  EXPECT_EQ(text_of(out() / "marker"), "old");
  EXPECT_THAT(directory_.files(), ElementsAre("out"));
}

TEST_F(PartialOutputTest, ADirectoryToReplaceNeedNotExist) {
  PartialOutput output(directory(true));
  std::filesystem::create_directory(output.place());
  write(output.place() / "marker", "new");
  output.commit();
  EXPECT_EQ(text_of(out() / "marker"), "new");
}

TEST_F(PartialOutputTest, StandardOutputIsWrittenFromItsPosition) {
  write(out(), "before ");
  const FileHandle own(::dup(STDOUT_FILENO));
  const FileHandle other(::open(out().c_str(), O_WRONLY | O_APPEND | O_CLOEXEC));
  ASSERT_TRUE(own.valid() && other.valid());
  std::fflush(stdout);
  ::dup2(other.get(), STDOUT_FILENO);
  {
    PartialOutput output({.final_place = "-"});
    OutputFile file(output.place());
    file.append("after");
    file.flush();
    output.commit();
  }
  ::dup2(own.get(), STDOUT_FILENO);
  EXPECT_EQ(text_of(out()), "before after");
}

TEST_F(PartialOutputTest, AFileDoesNotReplaceADirectory) {
  std::filesystem::create_directory(out());
  EXPECT_THAT(refusal({.final_place = out(), .replaces = true}), HasSubstr("not a regular file"));
}

TEST_F(PartialOutputTest, AMissingDirectoryIsNamed) {
  EXPECT_THAT(refusal({.final_place = directory_.path() / "none" / "out"}), HasSubstr("none/out"));
}

TEST_F(PartialOutputTest, AFullDiskIsReportedWithTheNumberOfWrittenBytes) {
  OutputFile file("/dev/full");
  file.append("text");
  EXPECT_THAT(test::error_text<EnvironmentError>([&] { file.flush(); }),
              AllOf(HasSubstr("/dev/full"), HasSubstr("No space left")));
}

}  // namespace
}  // namespace eventspace::exports
