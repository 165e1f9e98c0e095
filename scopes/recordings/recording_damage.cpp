#include "scopes/recordings/recording_damage.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <string_view>
#include <utility>

namespace eventspace {
namespace {

constexpr std::size_t max_in_words = 3;

std::string counted(std::uint64_t count, std::string_view thing) {
  return fmt::format("{} {}{}", count, thing, count == 1 ? "" : "s");
}

double seconds_since(std::int64_t ns, std::int64_t begun_ns) {
  constexpr double in_a_second = 1e9;
  return (static_cast<double>(ns) - static_cast<double>(begun_ns)) / in_a_second;
}

std::string loss_in_words(const DamagedPlace& place, std::int64_t begun_ns) {
  if (!place.records) return "it is not known how many records were there";
  if (*place.records == 0) return "no records of events were there";
  std::string words =
      counted(*place.records, "record") + (*place.records == 1 ? " was there" : " were there");
  if (place.first_ns && place.last_ns) {
    words += fmt::format(", from {:.3f} s to {:.3f} s after recording began",
                         seconds_since(*place.first_ns, begun_ns), seconds_since(*place.last_ns, begun_ns));
  }
  return words;
}

std::string place_in_words(const DamagedPlace& place, std::int64_t begun_ns, bool names_file) {
  return fmt::format("{} at byte {}{} ({})", counted(place.bytes, "byte"), place.at,
                     names_file ? " of " + place.file.filename().string() : "",
                     loss_in_words(place, begun_ns));
}

bool has_several_files(const RecordingDamage& damage) {
  for (const DamagedPlace& place : damage.places)
    if (place.file != damage.places.front().file) return true;
  return false;
}

std::string damaged_in_words(const RecordingDamage& damage, std::int64_t begun_ns) {
  std::vector<std::string> places;
  const bool names_file = damage.parts > 0 || has_several_files(damage);
  for (const DamagedPlace& place : damage.places) {
    if (place.is_repaired || places.size() == max_in_words) continue;
    places.push_back(place_in_words(place, begun_ns, names_file));
  }
  std::string words = fmt::format("it is damaged, and cannot be read at {}: {}",
                                  counted(damage.damaged, "place"), fmt::join(places, ", "));
  if (damage.damaged > places.size()) {
    words += fmt::format(", and others; {}{} are lost in all", damage.has_unknown_losses ? "at least " : "",
                         counted(damage.records, "record"));
  }
  return words;
}

std::string repaired_in_words(const RecordingDamage& damage) {
  for (const DamagedPlace& place : damage.places) {
    if (!place.is_repaired) continue;
    return fmt::format("{} damaged and repaired, so that nothing is lost there (the first: {} at byte {})",
                       damage.repaired == 1 ? "1 place was" : counted(damage.repaired, "place") + " were",
                       counted(place.bytes, "byte"), place.at);
  }
  return "some places were damaged and repaired, so that nothing is lost there";
}

}  // namespace

void RecordingDamage::add(DamagedPlace place) {
  ++(place.is_repaired ? repaired : damaged);
  if (!place.is_repaired) {
    records += place.records.value_or(0);
    has_unknown_losses = has_unknown_losses || !place.records;
  }
  if (places.size() < max_places) places.push_back(std::move(place));
}

RecordingDamage& RecordingDamage::operator+=(const RecordingDamage& other) {
  cut += other.cut;
  damaged += other.damaged;
  repaired += other.repaired;
  repeated += other.repeated;
  missing += other.missing;
  parts += other.parts;
  records += other.records;
  ends_early = other.ends_early;
  has_unknown_losses = has_unknown_losses || other.has_unknown_losses;
  for (const DamagedPlace& place : other.places)
    if (places.size() < max_places) places.push_back(place);
  return *this;
}

std::string in_words(const RecordingDamage& damage, std::int64_t begun_ns) {
  std::vector<std::string> words;
  if (damage.damaged > 0) words.push_back(damaged_in_words(damage, begun_ns));
  if (damage.repaired > 0) words.push_back(repaired_in_words(damage));
  if (damage.repeated > 0)
    words.push_back(counted(damage.repeated, "chunk") + " came twice or out of order and was left out");
  if (damage.missing > 0) words.push_back(counted(damage.missing, "chunk") + " are missing");
  if (damage.parts > 0) words.push_back(fmt::format("{} parts are missing or cannot be read", damage.parts));
  if (damage.cut > 0)
    words.push_back(fmt::format("its last {} are not a complete chunk", counted(damage.cut, "byte")));
  if (damage.ends_early)
    words.emplace_back(
        "it has no end, as when the recorder was killed or the disk was full, so later events are missing");
  return fmt::format("{}", fmt::join(words, "; "));
}

}  // namespace eventspace
