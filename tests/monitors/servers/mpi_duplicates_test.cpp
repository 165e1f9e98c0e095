// Programs that duplicate communicators without blocking, several at once, end as they do without EventSpace,
// with the MPI of MPI_NAME.
#include "tests/monitors/servers/mpi_programs.h"

namespace eventspace {
namespace {

using testing::HasSubstr;

class MpiDuplicatesTest : public MpiProgramTest {
 protected:
  // MPICH's ranks never yield their processor while they wait.
  static constexpr bool yields = std::string_view(MPI_NAME) == "openmpi";

  void expect_to_end(const char* level, const std::string& ranks) {
    Words words = mpirun(level, {}, DUPLICATES_APP);
    *(std::ranges::find(words, "-np") + 1) = ranks;
    Call program = run(words);
    EXPECT_EQ(program.status(), 0) << "level " << level << ": " << program.err();
    EXPECT_THAT(program.out(), HasSubstr("0 faults")) << "level " << level;
    EXPECT_EQ(program.err(), "");
  }
};

TEST_F(MpiDuplicatesTest, ConcurrentDuplicatesAreCompletedInEachWay) {
  expect_to_end("0", yields ? "6" : "2");
  expect_to_end("3", yields ? "6" : "2");
}

TEST_F(MpiDuplicatesTest, DuplicatesAreCompletedAtEachThreadLevelByMoreRanks) {
  for (const char* const level : {"0", "1", "2", "3"}) {
    for (const char* const ranks : {"3", "4", "6"}) {
      if (yields || std::string_view(ranks) != "6") expect_to_end(level, ranks);
    }
  }
}

}  // namespace
}  // namespace eventspace
