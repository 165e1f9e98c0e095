#include "scopes/metrics/metric_files.h"

#include <fmt/format.h>

#include <cerrno>
#include <fstream>
#include <iostream>
#include <system_error>

#include <eventspace/error.h>
#include "scopes/metrics/language/syntax.h"
#include "tuplespace/system/file_beginning.h"
#include "tuplespace/system/plain_text.h"

namespace eventspace {
namespace {

// Reads one byte more than the limit for a file, so that a longer file is detected.
std::string read_at_most(std::istream& in) { return beginning_of(in, metrics::longest_file + 1); }

std::string text_of(const std::filesystem::path& file) {
  if (file == "-") return read_at_most(std::cin);
  std::error_code error;
  if (std::filesystem::is_directory(file, error))
    throw EnvironmentError(fmt::format("{} is a directory; expected a file of metrics", file.string()));
  errno = 0;
  std::ifstream in(file, std::ios::binary);
  if (!in)
    throw EnvironmentError(
        fmt::format("cannot read {}: {}", file.string(), std::generic_category().message(errno)));
  return read_at_most(in);
}

}  // namespace

MetricFiles read_metric_files(std::span<const std::filesystem::path> files) {
  MetricFiles made;
  for (const auto& file : files) {
    const std::string name = file == "-" ? "<stdin>" : file.string();
    for (const metrics::MetricFault& fault : made.library.add(text_of(file)))
      made.faults.push_back(escaped(fmt::format("{}:{}:{}: {}", name, fault.line, fault.column, fault.text)));
  }
  return made;
}

}  // namespace eventspace
