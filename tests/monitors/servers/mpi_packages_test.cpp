// Programs from packages of Debian: checks that their calls are counted as the shim counts them, and that
// their output and status are the same as without EventSpace. With the MPI of MPI_NAME; each is linked with
// one MPI. Long tests.
#include <chrono>
#include <fstream>

#include "monitors/servers/find_program.h"
#include "tests/lines.h"
#include "tests/monitors/servers/mpi_programs.h"

namespace eventspace {
namespace {

using testing::HasSubstr;
using testing_commands::eventually;

class MpiPackagesTest : public MpiProgramTest {
 protected:
  static constexpr std::chrono::minutes patience{8};
  static constexpr int ranks = 4;

  /// Whether the program is installed; if not, prints the package that has it.
  static bool is_here(const std::string& program, const std::string& package) {
    if (find_program(program)) return true;
    std::cout << program << " is not installed; Debian: " << package << '\n';
    return false;
  }
  static Words launched(const Words& command, int processes = ranks) {
    Words words{MPIRUN};
    if (std::string(MPI_NAME) == "openmpi") words.emplace_back("--oversubscribe");
    for (const std::string& word : {std::string("-np"), std::to_string(processes)}) words.push_back(word);
    words.insert(words.end(), command.begin(), command.end());
    return words;
  }
  /// The calls that were recorded, by function, when all processes are about to end.
  Counts recorded_at_end(int processes) {
    EXPECT_TRUE(eventually(
        [&] {
          for (int rank = 0; rank < processes; ++rank)
            if (!std::filesystem::exists(file("counts.ready." + std::to_string(rank)))) return false;
          return true;
        },
        patience));
    Counts counts;
    Call profile = call({"profile", "job", "--table", "calls", "--format", "json", "--quiet"});
    for (const auto& row : testing_commands::objects_in(profile.out())) {
      const std::string function = row["call"];
      if (function.starts_with("MPI_Init")) continue;
      counts[function].calls += row["calls"].get<std::int64_t>();
      if (sends(function)) counts[function].bytes += row["bytes"].get<std::int64_t>();
    }
    return counts;
  }
  void expect_equal_counts(const Words& command, int processes = ranks) {
    set("LD_PRELOAD", COUNTING_SHIM);
    set("COUNTS", file("counts"));
    set("COUNTS_WAIT", file("go"));
    set("EVENTSPACE_MPI_CALLS", "400000");
    Call program = run(launched(command, processes));
    const Counts found = recorded_at_end(processes);
    go_on();
    EXPECT_EQ(program.status(), 0) << program.err();
    EXPECT_FALSE(found.empty());
    Counts expected = counted(processes);
    for (auto& [function, count] : expected)
      if (!sends(function)) count.bytes = 0;
    EXPECT_EQ(found, expected);
  }
  /// Compares its status, and its output in the comparable form that `same` returns.
  template <class Same>
  void expect_equal_output(const Words& command, const Same& same, int processes = ranks) {
    const auto run_with = [&](const char* mpi) {
      Call program = run(launched(command, processes), {"--mpi", mpi});
      const int status = status_of(program);
      return std::pair(status, same(program.out()));
    };
    const auto recorded = run_with(MPI_NAME);
    EXPECT_EQ(recorded.first, 0);
    EXPECT_FALSE(recorded.second.empty());
    EXPECT_EQ(recorded, run_with("none"));
  }
  static int status_of(Call& call) {
    EXPECT_TRUE(eventually([&] { return ::kill(call.pid(), 0) != 0 || has_ended(call); }, patience));
    return call.status();
  }
  static bool has_ended(Call& call) {
    std::ifstream in("/proc/" + std::to_string(call.pid()) + "/stat");
    std::string text;
    std::getline(in, text);
    return text.find(") Z") != std::string::npos;
  }
};

// 4000 atoms of a Lennard-Jones liquid.
constexpr const char* liquid =
    "units lj\natom_style atomic\nlattice fcc 0.8442\nregion box block 0 10 0 10 0 10\ncreate_box 1 box\n"
    "create_atoms 1 box\nmass 1 1.0\nvelocity all create 1.44 87287\npair_style lj/cut 2.5\n"
    "pair_coeff 1 1 1.0 1.0 2.5\nfix 1 all nve\nthermo 10\nrun 100\n";

// The table of temperatures and energies, which does not contain times.
std::string table_in(const std::string& output) {
  const std::size_t begin = output.find("Step ");
  return begin == std::string::npos ? "" : output.substr(begin, output.find("Loop time", begin) - begin);
}

TEST_F(MpiPackagesTest, Lammps) {
  if (std::string(MPI_NAME) != "openmpi") GTEST_SKIP() << "the package is linked with Open MPI";
  if (!is_here("lmp", "lammps")) GTEST_SKIP() << "Debian: lammps";
  const Words command{"lmp", "-in", write("in.lj", liquid), "-log", "none"};
  expect_equal_output(command, table_in);
  expect_equal_counts(command);
}

// The benchmarks of HPC Challenge on small problems. It writes its results, which are times, into a file.
TEST_F(MpiPackagesTest, HpcChallenge) {
  if (std::string(MPI_NAME) != "openmpi") GTEST_SKIP() << "the package is linked with Open MPI";
  const std::filesystem::path example = "/usr/share/doc/hpcc/examples/_hpccinf.txt";
  if (!is_here("hpcc", "hpcc") || !std::filesystem::exists(example)) GTEST_SKIP() << "Debian: hpcc";
  std::string input = testing_commands::read_text(example);
  const std::string large = "1000         Ns";
  ASSERT_THAT(input, HasSubstr(large));
  write("hpccinf.txt", input.replace(input.find(large), large.size(), "200          Ns"));
  const std::filesystem::path here = std::filesystem::current_path();
  std::filesystem::current_path(file(""));
  expect_equal_counts({"hpcc"});
  EXPECT_THAT(testing_commands::read_text(file("hpccoutf.txt")), HasSubstr("Success=1"));
  std::filesystem::current_path(here);
}

TEST_F(MpiPackagesTest, NetPipe) {
  const std::string program = std::string(MPI_NAME) == "openmpi" ? "NPopenmpi" : "NPmpich2";
  const std::string package = std::string(MPI_NAME) == "openmpi" ? "netpipe-openmpi" : "netpipe-mpich2";
  if (!is_here(program, package)) GTEST_SKIP() << "Debian: " << package;
  const Words command{program, "-n", "20", "-u", "10000", "-o", file("np.out")};
  const auto rows = [&](const std::string&) {
    return std::to_string(test::lines_of(testing_commands::read_text(file("np.out"))).size());
  };
  expect_equal_output(command, rows, 2);
  expect_equal_counts(command, 2);
}

constexpr const char* in_python = R"(
from mpi4py import MPI
comm = MPI.COMM_WORLD
rank, size = comm.Get_rank(), comm.Get_size()
for i in range(50):
    request = comm.isend({"step": i}, dest=(rank + 1) % size, tag=i)
    got = comm.recv(source=(rank - 1) % size, tag=i)
    request.wait()
    assert got["step"] == i
half = comm.Split(rank % 2, rank)
sums = [half.allreduce(i) for i in range(20)]
print(rank, sums[-1], comm.gather(rank, root=0), flush=True)
half.Free()
)";

TEST_F(MpiPackagesTest, Python) {
  if (std::string(MPI_NAME) != "openmpi") GTEST_SKIP() << "the package is linked with Open MPI";
  if (std::system("/usr/bin/python3 -c 'import mpi4py' 2>/dev/null") != 0)  // NOLINT
    GTEST_SKIP() << "Debian: python3-mpi4py";
  const Words command{"/usr/bin/python3", write("talk.py", in_python)};
  const auto sorted = [](const std::string& output) {
    auto lines = test::lines_of(output);
    std::ranges::sort(lines);
    std::string text;
    for (const std::string& line : lines) text += line + "\n";
    return text;
  };
  expect_equal_output(command, sorted);
  expect_equal_counts(command);
}

}  // namespace
}  // namespace eventspace
