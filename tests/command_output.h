#pragma once

#include <gtest/gtest.h>

#include <cstdio>
#include <string>

namespace eventspace::test {

/// Returns the output of a command of the shell; fails the test if it ends with an error.
inline std::string command_output(const std::string& command) {
  std::string text;
  FILE* const pipe = ::popen(command.c_str(), "r");
  if (pipe == nullptr) return text;
  char buffer[4096];
  for (std::size_t got = 0; (got = std::fread(buffer, 1, sizeof buffer, pipe)) > 0;) text.append(buffer, got);
  EXPECT_EQ(::pclose(pipe), 0) << command << '\n' << text;
  return text;
}

}  // namespace eventspace::test
