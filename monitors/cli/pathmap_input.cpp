#include "monitors/cli/pathmap_input.h"

#include <fmt/format.h>

#include <algorithm>
#include <fstream>
#include <iostream>
#include <system_error>
#include <vector>

#include <eventspace/error.h>
#include "tuplespace/system/file_beginning.h"
#include "tuplespace/trace/segment.h"

namespace eventspace {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t max_bytes = std::size_t{1} << 20;  // of a pathmap; docs/pathmap.md

// One byte more than allowed, so that a pathmap that is too large is found to be so.
std::string read_at_most(std::istream& in) { return beginning_of(in, max_bytes + 1); }

const std::string& standard_input() {
  static const std::string text = read_at_most(std::cin);
  return text;
}

// Whether a line of the YAML text is `include:` with the name, alone or in a list of one line. This serves a
// hint only, so a list over several lines may be missed.
bool includes(const std::string& text, const std::string& name) {
  for (std::size_t start = 0; start < text.size();) {
    const std::size_t end = std::min(text.find('\n', start), text.size());
    const std::string line = text.substr(start, end - start);
    const std::size_t at = line.find(name);
    if (line.starts_with("include:") && at != std::string::npos && line.find_first_of(" ['\",/") < at) {
      const char before = line[at - 1];
      const char after = at + name.size() < line.size() ? line[at + name.size()] : ' ';
      const std::string borders = " ['\",/]";
      if (borders.find(before) != std::string::npos && borders.find(after) != std::string::npos) return true;
    }
    start = end + 1;
  }
  return false;
}

std::vector<std::string> includers_of(const fs::path& pathmap) {
  constexpr int max_files = 1000;
  std::vector<std::string> names;
  const fs::path folder = pathmap.has_parent_path() ? pathmap.parent_path() : fs::path(".");
  std::error_code error;
  int files = 0;
  for (auto entry = fs::directory_iterator(folder, error); !error && entry != fs::directory_iterator();
       entry.increment(error)) {
    if (++files > max_files) break;
    const fs::path& file = entry->path();
    std::error_code ignored;
    if ((file.extension() != ".yaml" && file.extension() != ".yml") || !fs::is_regular_file(file, ignored))
      continue;
    std::ifstream stream(file, std::ios::binary);
    if (file.filename() != pathmap.filename() && includes(read_at_most(stream), pathmap.filename().string()))
      names.push_back(file.filename().string());
  }
  std::sort(names.begin(), names.end());
  return names;
}

bool is_session(const std::string& name) {
  try {
    return !name.empty() && name.find('/') == std::string::npos && !find_segments(name).empty();
  } catch (const Error&) {
    return false;
  }
}

}  // namespace

LoadResult load_pathmap(const fs::path& pathmap, const LoadOptions& options) {
  if (is_standard_input(pathmap)) return parse_plan(standard_input(), "<stdin>", options);
  return load_plan(pathmap, options);
}

bool is_program(const fs::path& file) {
  std::error_code ignored;
  if (!fs::is_regular_file(file, ignored)) return false;
  std::string magic(4, '\0');
  std::ifstream(file, std::ios::binary).read(magic.data(), 4);
  return magic == "\177ELF" || magic.starts_with("#!");
}

void require_file(const fs::path& pathmap, const std::string& need) {
  if (!is_standard_input(pathmap)) return;
  throw ConfigurationError("the pathmap `-` is standard input; expected a file, because " + need);
}

std::string note_on_stranger(const fs::path& pathmap) {
  if (is_standard_input(pathmap)) return "";
  const std::string name = pathmap.string();
  if (is_program(pathmap)) {
    return fmt::format(
        "'{}' is a program; expected a pathmap or the name of a session (`eventspace ls` lists the sessions)",
        name);
  }
  std::error_code ignored;
  if (fs::exists(pathmap, ignored) || !is_session(name)) return "";
  return fmt::format("'{}' is a session without a pathmap; this command needs a pathmap file", name);
}

std::string note_on_part(const fs::path& pathmap) {
  if (is_standard_input(pathmap)) return "";
  const std::vector<std::string> names = includers_of(pathmap);
  if (names.empty()) return "";
  const std::string more =
      names.size() == 1 ? "" : fmt::format(" and {} more in its directory", names.size() - 1);
  return fmt::format("{} is only a part of other pathmaps ({}{}); name one of them instead",
                     pathmap.filename().string(), names.front(), more);
}

}  // namespace eventspace
