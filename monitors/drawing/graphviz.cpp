#include "monitors/drawing/graphviz.h"

#include <fmt/format.h>
#include <signal.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>
#include <fstream>
#include <iostream>
#include <set>
#include <string_view>

#include <eventspace/error.h>
#include "monitors/cli/stop_signals.h"
#include "monitors/servers/child_process.h"
#include "monitors/servers/find_program.h"
#include "monitors/text/counted.h"
#include "monitors/text/text_format.h"
#include "monitors/watching/timeline.h"

namespace eventspace {
namespace {

namespace fs = std::filesystem;
using std::chrono::nanoseconds;

void write(const std::string& text, const fs::path& file) {
  std::ofstream out(file, std::ios::binary);
  out << text;
  out.close();
  if (!out) throw EnvironmentError(fmt::format("cannot write {}: {}", file.string(), std::strerror(errno)));
}

// A temporary file in the directory of the target, so that it can be renamed to it. The destructor removes
// it.
class Draft {
 public:
  Draft(const fs::path& file, const std::string& extension)
      : path_(fmt::format("{}.{}{}", file.string(), ::getpid(), extension)) {}
  ~Draft() {
    std::error_code ignored;
    fs::remove(path_, ignored);
  }
  Draft(const Draft&) = delete;
  Draft& operator=(const Draft&) = delete;
  [[nodiscard]] const fs::path& path() const noexcept { return path_; }

 private:
  fs::path path_;
};

/// How much there is to lay out.
std::string size_of(const std::string& dot) {
  std::size_t arrows = 0;
  std::size_t boxes = 0;
  for (std::size_t start = 0; start < dot.size();) {
    const std::size_t end = std::min(dot.find('\n', start), dot.size());
    const std::string_view line = std::string_view(dot).substr(start, end - start);
    const bool is_arrow = line.find("\" -> \"") != std::string_view::npos;
    arrows += is_arrow ? 1 : 0;
    boxes += !is_arrow && line.find_first_not_of(' ') != std::string_view::npos &&
                     line[line.find_first_not_of(' ')] == '"'
                 ? 1
                 : 0;
    start = end + 1;
  }
  return counted(boxes, "box") + " and " + counted(arrows, "arrow");
}

// Waits for dot, and kills it if it takes too long or a signal comes: otherwise it would continue for minutes
// after this process.
ExitState wait_for(ChildProcess& dot, RealTime& time, nanoseconds limit, const std::string& size) {
  constexpr nanoseconds patience = std::chrono::seconds(3);
  const Timeline::Time begun = time.now();
  bool has_spoken = ::isatty(STDERR_FILENO) == 0;
  while (true) {
    if (const auto state = dot.poll()) return *state;
    const bool is_stopped = time.wait(std::chrono::milliseconds(10));
    const nanoseconds passed = time.now() - begun;
    if (!has_spoken && passed > patience) {
      has_spoken = true;
      std::cerr << fmt::format("draw: Graphviz is laying out {} for at most {}; Ctrl-C stops it\n", size,
                               short_duration(limit));
    }
    if (!is_stopped && passed < limit) continue;
    dot.signal(SIGKILL);
    (void)dot.wait();
    if (is_stopped) throw EnvironmentError("interrupted; no picture was written");
    throw EnvironmentError(fmt::format(
        "Graphviz' dot did not lay out {} within {} (--layout-time). Draw fewer paths with --threads "
        "grouped or --only GLOB, or write -o F.dot and lay it out with another program, such as sfdp",
        size, short_duration(limit)));
  }
}

void run_dot(const std::string& format, const fs::path& in, const fs::path& out, RealTime& time,
             nanoseconds limit, const std::string& size) {
  if (!find_program("dot")) {
    throw EnvironmentError(
        "pictures need Graphviz' program `dot` (package graphviz); -o F.dot does not need it");
  }
  ChildProcess dot = ChildProcess::start({{"dot", "-T" + format, "-o", out.string(), in.string()}, {}});
  const ExitState state = wait_for(dot, time, limit, size);
  if (!state.is_fine() || !fs::exists(out)) throw EnvironmentError("dot " + to_string(state));
}

}  // namespace

void render_graph(const std::string& dot, const fs::path& file, nanoseconds limit) {
  static const std::set<std::string> formats{".svg", ".png", ".pdf"};
  const std::string extension = file.extension().string();
  if (extension != ".dot" && !formats.contains(extension)) {
    throw ConfigurationError(
        fmt::format("-o '{}': expected a file name that ends with .svg, .png, .pdf or .dot", file.string()));
  }
  StopSignals signals;  // before everything that a signal could leave behind: the drafts, and dot
  RealTime time(signals);
  const Draft text(file, ".dot");
  write(dot, text.path());
  if (extension == ".dot") return fs::rename(text.path(), file);
  const Draft picture(file, extension);
  run_dot(extension.substr(1), text.path(), picture.path(), time, limit, size_of(dot));
  fs::rename(picture.path(), file);
}

}  // namespace eventspace
