// made_recording PATHMAP FILE --events N: writes a synthetic recording of a run (made_run.h).
#include <CLI/CLI.hpp>
#include <cstdint>
#include <filesystem>

#include "bench/recordings/made_run.h"
#include "bench/run_program.h"

int main(int count, char** words) {
  using namespace eventspace::bench;
  std::filesystem::path pathmap;
  std::filesystem::path file;
  std::uint64_t events = 1'000'000;
  CLI::App program("makes a recording of a run that never was");
  program.add_option("pathmap", pathmap)->required();
  program.add_option("file", file)->required();
  program.add_option("--events", events)->check(CLI::PositiveNumber);
  CLI11_PARSE(program, count, words);
  return run_program("made_recording", [&] {
    make_run(pathmap, file, events);
    return 0;
  });
}
