// opened_recording FILE PATHMAP --times N --seed S: opens the recording and seeks to a moment of it, N times.
// Prints a line of JSON for each: the seconds, the records of the view of that moment, and the peak memory so
// far in MiB.
#include <fmt/format.h>
#include <sys/resource.h>

#include <CLI/CLI.hpp>
#include <chrono>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <random>

#include "bench/run_program.h"
#include "pathmaps/pathmap.h"
#include "pathmaps/sessions/recorded_run.h"

namespace eventspace::bench {
namespace {

double max_memory_mib() {
  rusage used{};
  ::getrusage(RUSAGE_SELF, &used);
  return static_cast<double>(used.ru_maxrss) / 1024;
}

void open_once(const std::filesystem::path& file, const std::shared_ptr<const Plan>& plan, double where) {
  const auto begun = std::chrono::steady_clock::now();
  RecordedRun run(RecordingReader(file), plan);
  Replay& replay = run.replay();
  const auto length = static_cast<double>(replay.end_ns() - replay.begin_ns());
  replay.set_now_ns(replay.begin_ns() + static_cast<std::int64_t>(where * length));
  const std::size_t records = replay.newest()->records.size();
  const std::chrono::duration<double> took = std::chrono::steady_clock::now() - begun;
  fmt::print(R"({{"seconds": {}, "records": {}, "memory_mib": {}}})"
             "\n",
             took.count(), records, max_memory_mib());
}

}  // namespace
}  // namespace eventspace::bench

int main(int count, char** words) {
  using namespace eventspace;
  std::filesystem::path file;
  std::filesystem::path pathmap;
  std::size_t times = 1;
  std::uint64_t seed = 1;
  CLI::App program("opens a recording and goes to a moment of it");
  program.add_option("file", file)->required();
  program.add_option("pathmap", pathmap)->required();
  program.add_option("--times", times);
  program.add_option("--seed", seed, "of the moments");
  CLI11_PARSE(program, count, words);
  return bench::run_program("opened_recording", [&] {
    const auto plan = std::make_shared<const Plan>(require_plan(pathmap));
    std::mt19937_64 chance(seed);
    std::uniform_real_distribution<double> somewhere(0.01, 0.99);
    for (std::size_t i = 0; i < times; ++i) bench::open_once(file, plan, somewhere(chance));
    return 0;
  });
}
