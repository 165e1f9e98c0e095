#include "monitors/watching/recorded_session.h"

#include <fmt/format.h>

#include <iostream>
#include <utility>

#include <eventspace/error.h>
#include "monitors/cli/faulty_pathmap.h"
#include "pathmaps/sessions/recorded_file.h"

namespace eventspace {

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
  RecordedFile opened = open_recorded_file(std::move(recording));
  if (opened.plan == nullptr) throw FaultyPathmap(opened.pathmap, std::move(opened.faults));
  return {std::move(opened.plan), opened.run->session(), std::move(opened.pathmap), std::move(opened.run)};
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
