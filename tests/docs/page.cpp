#include "tests/docs/page.h"

#include <algorithm>
#include <fstream>
#include <stdexcept>

namespace eventspace::docs {

namespace fs = std::filesystem;

namespace {

constexpr const char* fence = "```";

std::string note_in(const std::string& line) {
  const std::string begin = "<!-- ";
  const std::string end = " -->";
  if (!line.starts_with(begin) || !line.ends_with(end)) return "";
  return line.substr(begin.size(), line.size() - begin.size() - end.size());
}

}  // namespace

std::string content_of(const fs::path& file) {
  std::ifstream in(file, std::ios::binary);
  if (!in) throw std::runtime_error("cannot read " + file.string());
  return {std::istreambuf_iterator<char>(in), {}};
}

std::vector<Block> blocks_in(const std::string& page) {
  std::vector<Block> blocks;
  bool inside = false;
  int number = 0;
  std::string before;
  for (const std::string& line : lines_of(page)) {
    ++number;
    if (inside && line == fence) {
      inside = false;
    } else if (inside) {
      blocks.back().text += line + "\n";
    } else if (line.starts_with(fence)) {
      blocks.push_back({line.substr(3), note_in(before), "", number + 1});
      inside = true;
    }
    before = line;
  }
  if (inside) throw std::runtime_error("a block has no end: line " + std::to_string(blocks.back().line));
  return blocks;
}

std::vector<Block> blocks_of(const fs::path& page) { return blocks_in(content_of(page)); }

std::vector<fs::path> pages() {
  std::vector<fs::path> found{fs::path(EVENTSPACE_SOURCE) / "README.md"};
  for (const auto& entry : fs::directory_iterator(fs::path(EVENTSPACE_SOURCE) / "docs")) {
    if (entry.path().extension() == ".md") found.push_back(entry.path());
  }
  std::ranges::sort(found);
  return found;
}

}  // namespace eventspace::docs
