#include "monitors/web/report/report.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>
#include <vector>

#include "monitors/text/json.h"
#include "monitors/watching/recorded_session.h"
#include "monitors/web/documents/happenings.h"
#include "monitors/web/documents/session_look.h"
#include "monitors/web/report/packed.h"
#include "monitors/web/report/page_file.h"
#include "monitors/web/report/report_totals.h"
#include "monitors/web/report/tile_tree.h"
#include "monitors/web/timeline/loaded_timeline.h"
#include "monitors/web/timeline/timeline_tile.h"

namespace eventspace::web {
namespace {

// The most views from which the list of happenings is made.
constexpr int most_looks = 200;
// The rows of the matrix of the profile, those of most bytes; a job of many ranks can have a million.
constexpr std::size_t most_flows = 4096;

// As often as a heartbeat looks at a running session.
std::chrono::nanoseconds pause_of(const ReportSettings& settings, const top::Playback& playback) {
  const auto usual = std::min<std::chrono::nanoseconds>(settings.pace.stall / 2, std::chrono::seconds(1));
  return std::max(
      {usual, playback.length() / most_looks, std::chrono::nanoseconds(std::chrono::milliseconds(1))});
}

/// Lines of JSON as an array.
std::string array_of(const std::string& lines) {
  std::string array = "[";
  for (std::size_t at = 0; at < lines.size();) {
    const std::size_t end = std::min(lines.find('\n', at), lines.size());
    if (end > at) array += (array.size() > 1 ? "," : "") + lines.substr(at, end - at);
    at = end + 1;
  }
  return array + "]";
}

/// The parts of the page at the end of the recording, as the members of an object.
std::string parts_of(const ReportSettings& settings, const Watched& recording, const std::string& name) {
  SessionLook look({.named = settings.recording, .session = {}, .pace = settings.pace, .found = recording});
  top::Playback& playback = *look.playback();
  playback.play(false);
  playback.seek({});
  const std::chrono::nanoseconds step = pause_of(settings, playback);
  Happenings happenings;
  Looked looked = look.look({});
  while (happenings.observe(looked, look.at_s()), !playback.wait(step)) looked = look.look({});
  About about = look.about();
  about.name = name;
  Document::Parts parts{{"about", about_part(about, looked)}, {"clock", Json::object({{"at", look.at_s()}})},
                        {"names", names_part(looked)},        {"verdict", verdict_part(looked)},
                        {"waits", wait_part(looked)},         {"rates", rates_part(looked)},
                        {"losses", losses_part(looked)},      {"log", happenings.part()}};
  for (auto& part : thread_parts(looked)) parts.push_back(std::move(part));
  std::string text;
  for (const auto& [part, value] : parts)
    text += fmt::format("{}{}:{}", text.empty() ? "" : ",", Json(part).dump(), value.dump());
  return text;
}

std::string header_of(const LoadedTimeline& timeline, const TileTree& tree, const std::string& note) {
  return fmt::format(
      "{{\"state\":\"ready\",\"generation\":1,\"live\":false,\"began_ns\":{},\"realtime_ns\":{},"
      "\"deepest\":{},\"note\":{},{}}}",
      timeline.recording_began, timeline.realtime_ns, tree.deepest, Json(note).dump(),
      rows_text(*timeline.store));
}

std::string note_of(const TileTree& tree, std::size_t most_bytes) {
  if (tree.finest_ns == 0) return {};
  return fmt::format(
      "to keep this file at {} MiB, operations closer than {} us are shown as shares of time only",
      most_bytes >> 20, (tree.finest_ns + 999) / 1000);
}

}  // namespace

ReportMade make_report(const ReportSettings& settings) {
  const std::string name = settings.name.empty() ? settings.recording.filename().string() : settings.name;
  const Watched recording = open_recorded(settings.recording, "");
  const std::string parts = parts_of(settings, recording, name);
  const std::string totals = array_of(collective_totals_of(settings.recording));
  const std::string profile = array_of(profile_of(settings.recording, most_flows));
  const SharedTimeline timeline = load_timeline(recording, [](double) { return true; });
  const DataBlock all{
      "report-parts",
      packed(fmt::format("{{{},\"collective_totals\":{},\"profile_rows\":{}}}", parts, totals, profile))};
  constexpr std::size_t rest_of_header = 1024;  // that depends on the tiles
  const std::size_t rest =
      page_file(name, {all}).size() + packed(rows_text(*timeline->store)).size() + rest_of_header;
  TileTree tree = tile_tree(*timeline->store, settings.most_bytes - std::min(settings.most_bytes, rest));
  const std::string note = note_of(tree, settings.most_bytes);
  std::vector<DataBlock> blocks = std::move(tree.tiles);
  blocks.push_back(all);
  blocks.push_back({"report-timeline", packed(header_of(*timeline, tree, note))});
  return {page_file(name, blocks), timeline->store->events(), tree.finest_ns};
}

}  // namespace eventspace::web
