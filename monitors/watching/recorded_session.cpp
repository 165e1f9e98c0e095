#include "monitors/watching/recorded_session.h"

#include <fmt/format.h>

#include <cerrno>
#include <cstdlib>
#include <fstream>
#include <iostream>
#include <optional>
#include <utility>

#include <eventspace/error.h>
#include "monitors/cli/faulty_pathmap.h"
#include "pathmaps/pathmap.h"
#include "pathmaps/plan/session_plan.h"
#include "tuplespace/system/mapping.h"

namespace eventspace {
namespace {

/// A copy of a recorded pathmap, for code that reads it again.
class PathmapCopy {
 public:
  explicit PathmapCopy(const std::string& text) {
    std::string name = (std::filesystem::temp_directory_path() / "eventspace-pathmap-XXXXXX.yaml").string();
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

// The recording is not trusted: no other file is read for it, and no shared object is loaded.
std::shared_ptr<const Plan> plan_of(const RecordedSession& recorded, const std::filesystem::path& file) {
  if (recorded.pathmap.empty()) return plan_of_session(recorded.session);
  LoadResult loaded = load_plan(file, {.load_libraries = false, .follow_includes = false});
  if (!loaded.plan) throw FaultyPathmap(file, loaded.faults);
  return std::make_shared<const Plan>(std::move(*loaded.plan));
}

}  // namespace

Watched open_recorded(const std::filesystem::path& of, const std::string& session,
                      RecordingReader::Check check) {
  RecordingReader recording(of, check);
  const RecordedSession& recorded = recording.session();
  if (!session.empty() && session != recorded.session) {
    throw ConfigurationError(fmt::format("{} is a recording of session '{}', not of '{}'", of.string(),
                                         recorded.session, session));
  }
  if (recording.damage().any())
    std::cerr << fmt::format("eventspace: {}: {}\n", of.string(), recording.damage_in_words());
  struct Kept {
    std::optional<PathmapCopy> pathmap;
    std::optional<RecordedRun> run;
  };
  const auto kept = std::make_shared<Kept>();
  if (!recorded.pathmap.empty()) kept->pathmap.emplace(recorded.pathmap);
  const std::filesystem::path file = kept->pathmap ? kept->pathmap->file() : std::filesystem::path();
  auto plan = plan_of(recorded, file);
  kept->run.emplace(std::move(recording), plan);
  return {std::move(plan), kept->run->session(), file, {kept, &*kept->run}};
}

Json places_of(const RecordingReader& recording) {
  const std::int64_t begun = recording.session().begun_ns;
  const auto seconds = [begun](const std::optional<std::int64_t>& ns) {
    return ns ? Json((static_cast<double>(*ns) - static_cast<double>(begun)) / 1e9) : Json();
  };
  Json places = Json::array();
  for (const DamagedPlace& place : recording.damage().places) {
    places.add(Json::object({{"file", place.file.string()},
                             {"at", place.at},
                             {"bytes", place.bytes},
                             {"repaired", place.is_repaired},
                             {"records", place.is_repaired ? Json(0) : Json(place.records)},
                             {"first_s", seconds(place.first_ns)},
                             {"last_s", seconds(place.last_ns)}}));
  }
  return places;
}

void print_damage(const Watched& watched, Format format) {
  if (watched.recorded == nullptr || format != Format::json) return;
  const RecordingReader& recording = watched.recorded->replay().recording();
  const RecordingDamage& damage = recording.damage();
  if (!damage.any()) return;
  std::cout << Json::object({{"type", "damage"},
                             {"recording", recording.file().string()},
                             {"incomplete", damage.is_lossy()},
                             {"damage", recording.damage_in_words()},
                             {"lost_records", damage.records},
                             {"loses_more", damage.has_unknown_losses || damage.ends_early},
                             {"places", places_of(recording)}})
                   .dump()
            << '\n';
}

}  // namespace eventspace
