#include "monitors/watching/watched.h"

#include <fmt/format.h>

#include <algorithm>
#include <iostream>

#include <eventspace/error.h>
#include <eventspace/session.h>
#include "collectors/clock.h"
#include "monitors/cli/faulty_pathmap.h"
#include "monitors/cli/options.h"
#include "monitors/text/plain_output.h"
#include "monitors/watching/recorded_session.h"
#include "monitors/watching/replay_time.h"
#include "monitors/watching/session_of_process.h"
#include "pathmaps/observing/named_session.h"
#include "pathmaps/plan/session_plan.h"
#include "pathmaps/sessions/session_security.h"
#include "tuplespace/system/session_files.h"

namespace eventspace {
namespace {

bool must_be_file(const std::string& text) {
  return text.empty() || text == "-" || text.find('/') != std::string::npos || looks_like_pathmap(text);
}

// A program and its session often have the same name, so a file of that name counts only if there is no such
// session.
bool names_pathmap(const std::filesystem::path& named) {
  const std::string text = named.string();
  std::error_code error;
  return must_be_file(text) ||
         (find_segments(text).empty() && std::filesystem::is_regular_file(named, error));
}

// Returns `named`, which is the name of a session.
std::string require_one_name(const std::filesystem::path& named, const std::string& session) {
  std::string name = named.string();
  check_session_name(name);
  if (!session.empty() && session != name) {
    throw ConfigurationError(
        fmt::format("found session '{}' and --session '{}'; expected one session, or the file of a pathmap",
                    name, session));
  }
  return name;
}

// The session of a process that the user gave by its id, if no session and no file has that name.
std::filesystem::path with_session_of_process(const std::filesystem::path& named) {
  std::error_code error;
  if (must_be_file(named.string()) || std::filesystem::exists(named, error)) return named;
  const auto session = session_of_process(named.string());
  return session && find_segments(named.string()).empty() ? std::filesystem::path(*session) : named;
}

}  // namespace

void add_watched(CLI::App& app, std::filesystem::path& named) {
  app.add_option("PATHMAP", named, "Pathmap (YAML), or name of a session without one")->required();
}

void add_watched_or_recorded(CLI::App& app, std::filesystem::path& named) {
  app.add_option("PATHMAP", named, "Pathmap (YAML), name of a session without one, or recording")
      ->required()
      ->group(common_options);
}

void add_at(CLI::App& app, Played& played) {
  const auto take = [&played](const CLI::results_t& words) {
    played.at = AskedMoment::read(words.at(0));
    if (!played.at) {
      throw CLI::ValidationError("--at", fmt::format("found '{}'; {}", words.at(0), AskedMoment::allowed));
    }
    return true;
  };
  app.add_option("--at", take,
                 "Start a recording at this time: 95s, 12:03:04, or a date and a time in UTC [its beginning]")
      ->type_name("WHEN")
      ->group(common_options);
}

Consumer consumer_of(const Watched& watched) {
  return watched.recorded != nullptr ? Consumer(watched.recorded) : Consumer(watched.plan, watched.session);
}

std::unique_ptr<Timeline> timeline_of(const Watched& watched, StopSignals& signals, const Played& played) {
  if (watched.recorded == nullptr) {
    refuse_moment(watched, played);
    return std::make_unique<RealTime>(signals);
  }
  Replay& replay = watched.recorded->replay();
  constexpr std::int64_t one_look = 250'000'000;
  const std::int64_t at = replay.begin_ns() + begin_of(*watched.recorded, played).count();
  if (played.part == Played::Part::moment)
    return std::make_unique<ReplayTime>(replay, signals, at - one_look, at);
  return std::make_unique<ReplayTime>(replay, signals, at, replay.end_ns());
}

void refuse_moment(const Watched& watched, const Played& played) {
  if (watched.recorded == nullptr && played.at)
    throw ConfigurationError("--at needs a recording; a running session is observed live");
}

std::chrono::nanoseconds begin_of(RecordedRun& recorded, const Played& played) {
  const Replay& replay = recorded.replay();
  const Covered covered{replay.recording().session().realtime_ns + replay.begin_ns(),
                        std::chrono::nanoseconds(replay.end_ns() - replay.begin_ns())};
  if (played.at) return since_begin(*played.at, covered, "--at");
  return played.part == Played::Part::all ? std::chrono::nanoseconds(0) : covered.length;
}

std::int64_t realtime_when_booted(const Watched& watched) {
  if (watched.recorded != nullptr) return watched.recorded->replay().recording().session().realtime_ns;
  const ClockCalibration& clock = Clock::instance().calibration();
  return static_cast<std::int64_t>(clock.realtime_ns - clock.monotonic_ns);
}

Watched find_watched(const std::filesystem::path& given, const std::string& session, Recordings recordings) {
  const std::filesystem::path named = with_session_of_process(given);
  if (is_recording(named)) {
    if (recordings == Recordings::refused) {
      throw ConfigurationError(fmt::format(
          "{} is a recording; this command needs a running session. `eventspace info` shows its contents",
          named.string()));
    }
    return open_recorded(named, session);
  }
  const bool is_observed = !must_be_file(named.string()) && !observed_endpoint(named.string()).empty();
  if (!is_observed && names_pathmap(named)) return {read_pathmap(named), session, named};
  const std::string name = require_one_name(named, session);
  NamedSession found = find_named_session(name, print_warning);
  if (found.has_pathmap_too) {
    std::cerr << fmt::format(
        "eventspace: session {} also has processes with a pathmap; name its file to observe them\n", name);
  }
  return {std::move(found.plan), name, {}};
}

std::string find_session(const std::filesystem::path& given, const std::string& session) {
  const std::filesystem::path named = with_session_of_process(given);
  if (names_pathmap(named)) return session_name(*read_pathmap(named), session);
  return require_one_name(named, session);
}

}  // namespace eventspace
