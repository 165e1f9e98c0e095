#pragma once

// Private to monitors/.

#include <CLI/App.hpp>
#include <chrono>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>

#include "monitors/cli/stop_signals.h"
#include "monitors/moments/asked_moment.h"
#include "monitors/watching/timeline.h"
#include "pathmaps/plan/plan.h"
#include "pathmaps/sessions/consumer.h"
#include "pathmaps/sessions/recorded_run.h"

namespace eventspace {

/// What a monitor watches, and in which session: that of a pathmap, one without
/// (pathmaps/plan/session_plan.h), or a recorded one.
struct Watched {
  std::shared_ptr<const Plan> plan;
  std::string session;            ///< as given with --session; empty: see session_name
  std::filesystem::path pathmap;  ///< the file of the plan; of a recording a copy, removed with `recorded`
  std::shared_ptr<RecordedRun> recorded{};  ///< null: of a session that runs
};

/// Adds the argument of a monitor: the file of a pathmap, or the name of a session.
void add_watched(CLI::App& app, std::filesystem::path& named);
/// The same for a monitor that reads recordings, too.
void add_watched_or_recorded(CLI::App& app, std::filesystem::path& named);

/// The part of a recording that a monitor plays.
struct Played {
  enum class Part : std::uint8_t {
    all,     ///< everything, from the beginning, or from `at`, on
    moment,  ///< a quarter of a second that ends at `at`, or at the end: one look
    end      ///< as `all`, but the present is the end from the beginning: for questions about the last events
  };
  std::optional<AskedMoment> at{};  ///< nullopt: as `part` says
  Part part{Part::all};
};
/// Adds `--at`, which only a recording accepts.
void add_at(CLI::App& app, Played& played);

/// Makes the consumer of what is watched.
Consumer consumer_of(const Watched& watched);
/// Makes the timeline of what is watched, which must outlive it, as must `signals`. Throws ConfigurationError
/// if `played.at` is given for a session that runs, or is not within the recording.
std::unique_ptr<Timeline> timeline_of(const Watched& watched, StopSignals& signals,
                                      const Played& played = {});
/// Throws ConfigurationError if `played.at` is given for a session that runs.
void refuse_moment(const Watched& watched, const Played& played);
/// When playing begins, since recording began. Throws as timeline_of does.
std::chrono::nanoseconds begin_of(RecordedRun& recorded, const Played& played);
/// CLOCK_REALTIME of the machine whose CLOCK_MONOTONIC relates the times in views, when that was 0.
std::int64_t realtime_when_booted(const Watched& watched);

/// Finds what a user named. A name that ends in ".yaml" or ".yml" or has a '/' is a pathmap, `-` one on
/// standard input. Any other is the session of the observer's token in $EVENTSPACE_KEYS; or a session of this
/// machine whose processes have no pathmap; or, if there is none, a file; or, if there is none and it is the
/// id of a process, its session (session_of_process). If other processes of the session
/// have a pathmap, says so on standard error.
///
/// A recording is found if `recordings` says so; else it is a ConfigurationError.
///
/// Throws FaultyPathmap for a faulty pathmap; EnvironmentError, which says what to do, if there is neither a
/// file nor a process of that session, or its processes have a pathmap; ConfigurationError if `session` was
/// given as well as the name of a session, or a token is for another session.
enum class Recordings : std::uint8_t { refused, accepted };
Watched find_watched(const std::filesystem::path& named, const std::string& session,
                     Recordings recordings = Recordings::refused);

/// Returns the session that a user named, as find_watched does, whether or not a process of it runs. Throws
/// FaultyPathmap and ConfigurationError as find_watched does.
std::string find_session(const std::filesystem::path& named, const std::string& session);

}  // namespace eventspace
