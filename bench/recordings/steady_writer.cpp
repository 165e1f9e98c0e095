// steady_writer --records N --rate R: the process of steady.yaml, for `eventspace run`. Its thread writes N
// tuples, R a second, each of which is one record.
#include <CLI/CLI.hpp>
#include <cstdint>

#include <eventspace/session.h>
#include "bench/recordings/paced.h"
#include "bench/run_program.h"

int main(int count, char** words) {
  using namespace eventspace;
  std::uint64_t records = 100'000;
  double rate = 500'000;
  CLI::App program("writes to its log at a steady rate");
  program.add_option("--records", records);
  program.add_option("--rate", rate, "a second")->check(CLI::PositiveNumber);
  CLI11_PARSE(program, count, words);
  return bench::run_program("steady_writer", [&] {
    Session session = Session::from_environment();
    Path& log = session.thread("writer").path("log");
    bench::do_paced(records, rate, [&log](std::uint64_t number) {
      (void)log.write(Tuple::of({static_cast<std::int64_t>(number)}));
    });
    return 0;
  });
}
