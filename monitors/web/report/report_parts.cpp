#include "monitors/web/report/report_parts.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <map>
#include <string_view>
#include <utility>

#include "monitors/text/json.h"
#include "monitors/web/documents/happenings.h"
#include "monitors/web/documents/session_look.h"
#include "monitors/web/report/packed.h"
#include "monitors/web/report/report_totals.h"

namespace eventspace::web {
namespace {

// The most views from which the list of happenings is made.
constexpr int most_looks = 200;
// A job with many ranks and communicators has more lines, of about 150 bytes before compression.
constexpr std::size_t most_lines_of_totals = 65536;

// As often as a heartbeat polls a running session.
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

/// Plays the recording to its end. `look` stays there.
Document::Parts parts_at_end(SessionLook& look, const ReportSettings& settings, const std::string& name) {
  top::Playback& playback = *look.playback();
  playback.play(false);
  playback.seek({});
  const std::chrono::nanoseconds step = pause_of(settings, playback);
  constexpr SessionLook::Also also{.collectives = true};
  Happenings happenings;
  Looked looked = look.look(also);
  while (happenings.observe(looked, look.at_s()), !playback.wait(step)) looked = look.look(also);
  About about = look.about();
  about.name = name;
  Document::Parts parts{{"about", about_part(about, looked)},
                        {"clock", Json::object({{"at", look.at_s()}})},
                        {"names", names_part(looked)},
                        {"verdict", verdict_part(looked)},
                        {"waits", wait_part(looked)},
                        {"rates", rates_part(looked)},
                        {"losses", losses_part(looked)},
                        {"log", happenings.part()},
                        {"collectives", collective_part(looked)}};
  for (auto& part : thread_parts(looked)) parts.push_back(std::move(part));
  return parts;
}

// The parts are made once all events have been read; before, only the smallest.
Document::Parts parts_of_all_events(SessionLook& look) {
  look.read_events({.names = {"call_sites"}});
  while (look.has_rest()) look.read_events({});
  return look.read_events({.last = true});
}

std::string_view kind_of(std::string_view part) { return part.substr(0, part.find('/')); }

// The matrix of all communicators is shown first.
bool is_chosen(std::string_view part) {
  return kind_of(part) == "calls_of" || (kind_of(part) == "flows" && part != "flows/0");
}

constexpr std::string_view before_part = "part/";

}  // namespace

ReportParts report_parts(const ReportSettings& settings, const Watched& recording, const std::string& name) {
  SessionLook look({.named = settings.recording, .session = {}, .pace = settings.pace, .found = recording});
  Document::Parts all = parts_at_end(look, settings, name);
  for (auto& part : parts_of_all_events(look)) all.push_back(std::move(part));
  ReportParts parts;
  for (const auto& [part, value] : all) {
    if (is_chosen(part))
      parts.chosen.push_back({fmt::format("{}{}", before_part, part), packed(value.dump())});
    else
      parts.members += fmt::format("{}:{},", Json(part).dump(), value.dump());
  }
  const std::string totals = first_lines(collective_totals_of(settings.recording), most_lines_of_totals);
  parts.members += "\"collective_totals\":" + array_of(totals);
  return parts;
}

std::size_t leave_out(ReportParts& parts, std::size_t most_bytes) {
  struct Kind {
    std::size_t bytes{0};
    std::size_t left_out{0};
  };
  std::map<std::string, Kind, std::less<>> kinds{{"calls_of", {}}, {"flows", {}}};
  const auto does_not_fit = [&](const DataBlock& block) {
    Kind& kind = kinds.at(std::string(kind_of(block.id.substr(before_part.size()))));
    kind.bytes += block.text.size();
    const bool fits = kind.bytes <= most_bytes / 2;
    kind.left_out += fits ? 0 : 1;
    return !fits;
  };
  const std::size_t left_out = std::erase_if(parts.chosen, does_not_fit);
  Json counts = Json::object();
  for (const auto& [name, kind] : kinds) counts.set(name, kind.left_out);
  parts.members += ",\"left_out\":" + counts.dump();
  return left_out;
}

}  // namespace eventspace::web
