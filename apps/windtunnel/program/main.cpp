#include <fmt/format.h>

#include <cstdio>

#include "apps/windtunnel/program/options.h"
#include "apps/windtunnel/program/program.h"
#include "apps/windtunnel/program/stop_signals.h"
#include "tuplespace/system/plain_text.h"

int main(int argc, char** argv) {
  using namespace eventspace::windtunnel;
  block_stop_signals();
  try {
    const auto options = parse_options(argc, argv);
    return options ? run(*options) : kFine;
  } catch (...) {
    const auto failure = failure_of_current_exception();
    fmt::print(stderr, "windtunnel: {}\n", eventspace::escaped(failure.what, eventspace::Newlines::kept));
    return failure.status;
  }
}
