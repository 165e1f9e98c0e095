#include "pathmaps/sessions/recorded_file.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cerrno>
#include <cstdlib>
#include <fstream>
#include <optional>
#include <utility>

#include <eventspace/error.h>
#include "pathmaps/pathmap.h"
#include "pathmaps/plan/session_plan.h"
#include "tuplespace/system/mapping.h"
#include "tuplespace/system/temporary_folder.h"

namespace eventspace {
namespace {

/// A copy of a recorded pathmap, for code that reads it again.
class PathmapCopy {
 public:
  explicit PathmapCopy(const std::string& text) {
    std::string name = (temporary_folder() / "eventspace-pathmap-XXXXXX.yaml").string();
    const FileHandle made(::mkstemps(name.data(), 5));
    if (!made.valid()) throw EnvironmentError::from_errno("cannot make " + name, errno);
    file_ = name;
    std::ofstream out(file_);
    if (!(out << text).flush()) throw EnvironmentError("cannot write " + name);
  }
  ~PathmapCopy() {
    std::error_code ignored;
    if (!file_.empty()) std::filesystem::remove(file_, ignored);
  }
  PathmapCopy(const PathmapCopy&) = delete;
  PathmapCopy& operator=(const PathmapCopy&) = delete;
  [[nodiscard]] const std::filesystem::path& file() const noexcept { return file_; }

 private:
  std::filesystem::path file_;
};

struct Kept {
  std::optional<PathmapCopy> pathmap;
  std::optional<RecordedRun> run;
};

}  // namespace

RecordedFile open_recorded_file(RecordingReader recording) {
  const RecordedSession& recorded = recording.session();
  const auto kept = std::make_shared<Kept>();
  RecordedFile opened;
  opened.kept = kept;
  if (recorded.pathmap.empty()) {
    opened.plan = plan_of_session(recorded.session);
  } else {
    kept->pathmap.emplace(recorded.pathmap);
    opened.pathmap = kept->pathmap->file();
    LoadResult loaded = load_plan(opened.pathmap, {.load_libraries = false, .follow_includes = false});
    opened.faults = std::move(loaded.faults);
    // Code that reads the copy again would load them.
    for (const NamedLibrary& library : loaded.libraries)
      opened.faults.push_back(
          {opened.pathmap.string(), 0, 0,
           fmt::format("wrapper '{}' is of the shared object {}, which a recording may not name",
                       library.wrapper, library.file.string())});
    if (!loaded.plan || !opened.faults.empty()) return opened;
    opened.plan = std::make_shared<const Plan>(std::move(*loaded.plan));
  }
  kept->run.emplace(std::move(recording), opened.plan);
  opened.run = {kept, &*kept->run};
  return opened;
}

RecordedFile require_recorded_file(const std::filesystem::path& file) {
  RecordedFile opened = open_recorded_file(RecordingReader(file));
  if (opened.plan != nullptr) return opened;
  std::vector<std::string> lines;
  for (const Fault& fault : opened.faults) lines.push_back(to_string(fault));
  throw ConfigurationError(
      fmt::format("the pathmap in {} has faults:\n{}", file.string(), fmt::join(lines, "\n")));
}

}  // namespace eventspace
