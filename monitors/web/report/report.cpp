#include "monitors/web/report/report.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <utility>
#include <vector>

#include "monitors/text/json.h"
#include "monitors/watching/recorded_session.h"
#include "monitors/web/report/packed.h"
#include "monitors/web/report/page_file.h"
#include "monitors/web/report/report_parts.h"
#include "monitors/web/report/tile_tree.h"
#include "monitors/web/timeline/loaded_timeline.h"
#include "monitors/web/timeline/timeline_tile.h"

namespace eventspace::web {
namespace {

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

DataBlock packed_members(const ReportParts& parts) {
  return {"report-parts", packed("{" + parts.members + "}")};
}

// Tables and matrices that a page shows by choice get at most a quarter of the remaining room.
constexpr std::size_t share_of_chosen = 4;

std::size_t rest_of(const ReportSettings& settings, std::size_t taken) {
  return settings.most_bytes - std::min(settings.most_bytes, taken);
}

}  // namespace

ReportMade make_report(const ReportSettings& settings) {
  const std::string name = settings.name.empty() ? settings.recording.filename().string() : settings.name;
  const Watched recording = open_recorded(settings.recording, "");
  ReportParts parts = report_parts(settings, recording, name);
  const std::size_t least = page_file(name, {packed_members(parts)}).size();
  ReportMade made;
  made.parts_left_out = leave_out(parts, rest_of(settings, least) / share_of_chosen);
  const SharedTimeline timeline = load_timeline(recording, [](double) { return true; });
  std::vector<DataBlock> blocks = std::move(parts.chosen);
  blocks.push_back(packed_members(parts));
  constexpr std::size_t rest_of_header = 1024;  // that depends on the tiles
  const std::size_t others =
      page_file(name, blocks).size() + packed(rows_text(*timeline->store)).size() + rest_of_header;
  TileTree tree = tile_tree(*timeline->store, rest_of(settings, others));
  const std::string note = note_of(tree, settings.most_bytes);
  std::ranges::move(tree.tiles, std::back_inserter(blocks));
  blocks.push_back({"report-timeline", packed(header_of(*timeline, tree, note))});
  made.page = page_file(name, blocks);
  made.operations = timeline->store->events();
  made.finest_ns = tree.finest_ns;
  return made;
}

}  // namespace eventspace::web
