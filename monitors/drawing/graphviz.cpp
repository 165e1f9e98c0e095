#include "monitors/drawing/graphviz.h"

#include <fmt/format.h>
#include <unistd.h>

#include <cstring>
#include <fstream>
#include <set>

#include "monitors/servers/child_process.h"
#include "monitors/servers/find_program.h"
#include "tuplespace/system/error.h"

namespace eventspace {
namespace {

namespace fs = std::filesystem;

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

void run_dot(const std::string& format, const fs::path& in, const fs::path& out) {
  if (!find_program("dot")) {
    throw EnvironmentError("pictures need Graphviz' program `dot` (package graphviz); -o F.dot goes without");
  }
  const ChildSpec spec{{"dot", "-T" + format, "-o", out.string(), in.string()}, {}};
  const ExitState state = ChildProcess::start(spec).wait();
  if (!state.is_fine() || !fs::exists(out)) throw EnvironmentError("dot " + to_string(state));
}

}  // namespace

void render_graph(const std::string& dot, const fs::path& file) {
  static const std::set<std::string> formats{".svg", ".png", ".pdf"};
  const std::string extension = file.extension().string();
  const Draft text(file, ".dot");
  if (extension != ".dot" && !formats.contains(extension)) {
    throw ConfigurationError(
        fmt::format("-o '{}': expected a file name that ends with .svg, .png, .pdf or .dot", file.string()));
  }
  write(dot, text.path());
  if (extension == ".dot") return fs::rename(text.path(), file);
  const Draft picture(file, extension);
  run_dot(extension.substr(1), text.path(), picture.path());
  fs::rename(picture.path(), file);
}

}  // namespace eventspace
