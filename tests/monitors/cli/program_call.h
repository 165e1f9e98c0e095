#pragma once

#include <iostream>
#include <sstream>
#include <string>
#include <vector>

#include "monitors/cli/command_page.h"
#include "monitors/cli/program.h"
#include "monitors/commands.h"

namespace eventspace::testing_commands {

/// The build information that the program reports in these tests.
inline const BuildInfo test_build{"1.2.3", "0123456789abcdef", "2026-11-24", "GNU 12", "Test"};

/// A run of the program within this process: for calls that end by themselves.
struct ProgramCall {
  int status{0};
  std::string out;
  std::string err;
};

/// Redirects output to `stream` into `target` as long as the object exists.
class Diverted {
 public:
  Diverted(std::ostream& stream, std::ostringstream& target)
      : stream_(stream), own_(stream.rdbuf(target.rdbuf())) {}
  ~Diverted() { stream_.rdbuf(own_); }
  Diverted(const Diverted&) = delete;
  Diverted& operator=(const Diverted&) = delete;

 private:
  std::ostream& stream_;
  std::streambuf* own_;
};

/// With these commands, of which a few take much less time than all.
inline ProgramCall call_program(const std::vector<Command>& commands, const std::vector<std::string>& words) {
  std::vector<const char*> argv{"eventspace"};
  for (const std::string& word : words) argv.push_back(word.c_str());
  std::ostringstream out;
  std::ostringstream err;
  const Diverted diverted_out(std::cout, out);
  const Diverted diverted_err(std::cerr, err);
  const int status = run_program(commands, test_build, static_cast<int>(argv.size()), argv.data());
  return {status, out.str(), err.str()};
}

inline ProgramCall call_program(const std::vector<std::string>& words) {
  return call_program(all_commands(test_build), words);
}

inline std::vector<CommandPage> all_pages() { return pages_of(all_commands(test_build)); }

}  // namespace eventspace::testing_commands
