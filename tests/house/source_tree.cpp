#include "tests/house/source_tree.h"

#include <algorithm>
#include <fstream>
#include <optional>

namespace eventspace::house {
namespace {

namespace fs = std::filesystem;

// The text between the marks behind `#include`; nothing when the line is no include.
std::optional<std::string> included_by(const std::string& line, char open, char close) {
  const std::string start = std::string("#include ") + open;
  if (!line.starts_with(start)) return std::nullopt;
  return line.substr(start.size(), line.find(close, start.size()) - start.size());
}

// Detects aliases too, such as Clock::now().
bool reads_clock(const std::string& line) {
  const auto has = [&](const char* text) { return line.find(text) != std::string::npos; };
  return has("lock::now()") || has("clock_gettime(") || has("gettimeofday(");
}

bool starts_thread(const std::string& line) {
  const auto has = [&](const char* text) { return line.find(text) != std::string::npos; };
  return has("std::thread(") || has("std::jthread(") || has("std::async(") || has("pthread_create(");
}

SourceFile read_source(const fs::path& root, const std::string& path) {
  SourceFile source;
  source.path = path;
  std::ifstream file(root / path);
  for (std::string line; std::getline(file, line);) {
    if (reads_clock(line)) source.reads_clock = true;
    if (starts_thread(line)) source.starts_thread = true;
    if (const auto own = included_by(line, '"', '"')) source.includes.push_back(*own);
    if (const auto other = included_by(line, '<', '>')) source.other_includes.push_back(*other);
  }
  return source;
}

enum class Mark : std::uint8_t { unseen, on_the_way, done };

// Searches depth first. If it finds a circle, returns true and leaves the folders on the way to it in `way`.
bool leads_into_circle(const std::string& folder, const FolderGraph& graph,
                       std::map<std::string, Mark>& marks, std::vector<std::string>& way) {
  Mark& mark = marks[folder];
  if (mark == Mark::done) return false;
  way.push_back(folder);
  if (mark == Mark::on_the_way) return true;
  mark = Mark::on_the_way;
  if (const auto arrows = graph.find(folder); arrows != graph.end()) {
    for (const auto& [to, includes] : arrows->second) {
      if (leads_into_circle(to, graph, marks, way)) return true;
    }
  }
  marks[folder] = Mark::done;
  way.pop_back();
  return false;
}

}  // namespace

std::string SourceFile::folder() const { return path.substr(0, path.rfind('/')); }

std::string SourceFile::top_folder() const {
  const std::size_t first = path.find('/');
  return path.starts_with("apps/") ? path.substr(0, path.find('/', first + 1)) : path.substr(0, first);
}

std::vector<SourceFile> read_sources(const fs::path& root, const std::vector<std::string>& folders) {
  std::vector<SourceFile> sources;
  for (const std::string& folder : folders) {
    for (const auto& entry : fs::recursive_directory_iterator(root / folder)) {
      const std::string extension = entry.path().extension();
      if (extension != ".h" && extension != ".cpp") continue;
      sources.push_back(read_source(root, entry.path().lexically_relative(root).generic_string()));
    }
  }
  std::ranges::sort(sources, {}, &SourceFile::path);
  return sources;
}

FolderGraph folder_graph(const std::vector<SourceFile>& sources) {
  FolderGraph graph;
  for (const SourceFile& source : sources) {
    for (const std::string& include : source.includes) {
      const std::string to = include.substr(0, include.rfind('/'));
      if (to != source.folder()) graph[source.folder()][to].push_back(source.path + " includes " + include);
    }
  }
  return graph;
}

std::vector<std::string> find_circle(const FolderGraph& graph) {
  std::map<std::string, Mark> marks;
  for (const auto& [folder, arrows] : graph) {
    std::vector<std::string> way;
    if (!leads_into_circle(folder, graph, marks, way)) continue;
    way.erase(way.begin(), std::ranges::find(way, way.back()));
    return way;
  }
  return {};
}

std::string describe(const std::vector<std::string>& circle, const FolderGraph& graph) {
  std::string text;
  for (std::size_t i = 0; i + 1 < circle.size(); ++i) {
    text += circle[i] + " -> " + circle[i + 1] + ": " + graph.at(circle[i]).at(circle[i + 1]).front() + "\n";
  }
  return text;
}

}  // namespace eventspace::house
