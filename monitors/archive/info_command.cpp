#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cmath>
#include <iostream>

#include <eventspace/error.h>
#include "monitors/cli/commands.h"
#include "monitors/cli/options.h"
#include "monitors/cli/result_table.h"
#include "monitors/text/counted.h"
#include "monitors/text/text_format.h"
#include "monitors/watching/recorded_session.h"
#include "scopes/tree/view_events.h"

namespace eventspace {
namespace {

struct InfoOptions {
  std::filesystem::path file;
  Format format{Format::text};
  bool pathmap{false};
  bool checks{false};
};

/// Facts about a recording, as names and values.
using Facts = std::vector<std::pair<std::string, Json>>;

double seconds(std::int64_t ns) { return std::round(static_cast<double>(ns) / 1e6) / 1e3; }

Json bytes_of_each(std::uint64_t bytes, std::uint64_t events) {
  if (events == 0) return {};
  return std::round(10 * static_cast<double>(bytes) / static_cast<double>(events)) / 10;
}

// If the recorder was killed, or if parts are damaged, the end is missing; then the events of all chunks are
// counted.
std::uint64_t events_in(const RecordingReader& recording) {
  if (recording.end() && !recording.damage().any()) return recording.end()->events;
  std::uint64_t events = 0;
  for (std::size_t i = 0; i < recording.chunks().size(); ++i) {
    if (recording.chunks()[i].kind != RecordingReader::Kind::events) continue;
    try {
      events += count_events(recording.view(i).records.whole());
    } catch (const EnvironmentError&) {  // a damaged chunk has no events
    }
  }
  return events;
}

std::string how_it_ended(const RecordingReader& recording) {
  if (recording.end()) return recording.end()->reason;
  return recording.is_being_written() ? "it is still being written"
                                      : "the recorder was killed, or the disk was full";
}

void add_losses(const RecordingReader& recording, Facts& facts) {
  if (!recording.end()) return;
  const Loss& loss = recording.end()->loss;
  facts.emplace_back("discarded", loss.discarded);
  facts.emplace_back("earlier", loss.earlier);
  facts.emplace_back("torn", loss.torn);
  facts.emplace_back("emptied", loss.emptied);
}

// Parts that were removed, as with `record --keep`, are not a loss.
void add_removed(const RecordingReader& recording, Facts& facts) {
  const RecordedSession& first = recording.session();
  if (first.part > 1) facts.emplace_back("records_in_parts_before", first.records_before);
}

void add_damage(const RecordingReader& recording, Format format, Facts& facts) {
  const RecordingDamage& damage = recording.damage();
  facts.emplace_back("damage", recording.damage_in_words());
  if (format == Format::text) return;
  facts.emplace_back("lost_records", damage.records);
  facts.emplace_back("loses_more", damage.has_unknown_losses || damage.ends_early);
  facts.emplace_back("places", places_of(recording));
  facts.emplace_back("checked", recording.is_checked());
}

Facts facts_of(const Watched& watched, Format format) {
  const Replay& replay = watched.recorded->replay();
  const RecordingReader& recording = replay.recording();
  const RecordedSession& session = recording.session();
  const std::uint64_t events = events_in(recording);
  const auto states =
      std::ranges::count(recording.chunks(), RecordingReader::Kind::state, &RecordingReader::Chunk::kind);
  Facts facts{{"file", recording.file().string()},
              {"session", session.session},
              {"pathmap", session.pathmap.empty() ? Json() : Json(watched.plan->name)},
              {"recorded_on", session.node},
              {"recorded_by", session.program},
              {"begun", format_realtime(session.realtime_ns + replay.begin_ns())},
              {"seconds", seconds(replay.end_ns() - replay.begin_ns())},
              {"ended", how_it_ended(recording)},
              {"events", events},
              {"states", states},
              {"files", recording.files().size()},
              {"bytes", recording.bytes()},
              {"bytes_per_event", bytes_of_each(recording.bytes(), events)}};
  add_losses(recording, facts);
  add_removed(recording, facts);
  add_damage(recording, format, facts);
  return facts;
}

ResultTable processes_of(const Watched& watched) {
  Replay& replay = watched.recorded->replay();
  replay.set_now_ns(replay.end_ns());
  const auto newest = replay.newest();
  ResultTable table({"process", "node", "pid", "state", "threads"});
  for (const ProcessReport& process : newest->processes) {
    table.add({std::string(replay.names().process_name(process.process)),
               std::string(replay.names().node_of_process(process.process)), process.pid,
               std::string(to_string(process.state)), process.threads.size()});
  }
  return table;
}

void print(const Facts& facts, Format format) {
  if (format != Format::text) {
    std::vector<std::string> names;
    std::vector<Json> values;
    for (const auto& [name, value] : facts) {
      names.push_back(name);
      values.push_back(value);
    }
    ResultTable table(std::move(names));
    table.add(std::move(values));
    table.print(std::cout, format);
    return;
  }
  for (const auto& [name, value] : facts) {
    std::string words = name;
    std::ranges::replace(words, '_', ' ');
    const std::string text = value.plain();
    if (!text.empty()) std::cout << fmt::format("{:<16} {}\n", words, text);
  }
}

// Also reads the contents of chunks: a file may have correct checksums of invalid data.
std::uint64_t unreadable_chunks(const RecordingReader& recording) {
  std::uint64_t unreadable = 0;
  for (std::size_t i = 0; i < recording.chunks().size(); ++i) {
    if (recording.chunks()[i].is_lost) continue;
    try {
      (void)recording.view(i);
    } catch (const EnvironmentError&) {
      ++unreadable;
    }
  }
  return unreadable;
}

int check(const RecordingReader& recording) {
  const std::uint64_t unreadable = unreadable_chunks(recording);
  if (unreadable > 0)
    std::cerr << fmt::format("eventspace: {} cannot be read\n", counted(unreadable, "chunk"));
  if (unreadable > 0 || recording.damage().any()) return exit_found_wrong;
  std::cerr << fmt::format("eventspace: all {} of {} are intact\n", counted(recording.bytes(), "byte"),
                           recording.file().string());
  return exit_fine;
}

int run(const InfoOptions& options) {
  using Check = RecordingReader::Check;
  const Watched watched = open_recorded(options.file, "", options.checks ? Check::all : Check::bounded);
  if (options.pathmap) {
    std::cout << watched.recorded->replay().recording().session().pathmap;
    return exit_fine;
  }
  print(facts_of(watched, options.format), options.format);
  if (options.format == Format::text) {
    const ResultTable processes = processes_of(watched);
    if (!processes.is_empty()) std::cout << '\n';
    if (!processes.is_empty()) processes.print(std::cout, options.format);
  }
  std::cout.flush();
  return options.checks ? check(watched.recorded->replay().recording()) : exit_fine;
}

}  // namespace

Command info_command() {
  const CommandGuide guide{
      .group = CommandGroup::recordings,
      .examples = {{"eventspace info run.evs", "time, length, number of events, and losses"},
                   {"eventspace info run.evs --check", "verifies the whole file"},
                   {"eventspace info run.evs --pathmap", "the pathmap of the session, as one file"}},
      .statuses = {{exit_found_wrong, "with --check: the recording is damaged, or has no end"},
                   {exit_unreachable, "the file cannot be read, or is not a recording"}}};
  return {"info", "Describe a recording",
          with_options<InfoOptions>(
              [](CLI::App& app, InfoOptions& options) {
                app.add_option("FILE", options.file, "Recording to read")->required();
                add_format(app, options.format);
                app.add_flag("--check", options.checks,
                             "Read the whole file, and exit with status 1 if a part is damaged [reads at "
                             "most 256 MiB whole]");
                app.add_flag("--pathmap", options.pathmap, "Print the pathmap in the recording");
              },
              run),
          guide};
}

}  // namespace eventspace
