#pragma once

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

/// The session that a monitor watches: with a pathmap, without one (pathmaps/plan/session_plan.h), or
/// recorded.
struct Watched {
  std::shared_ptr<const Plan> plan;
  std::string session;            ///< as given with --session; empty: see session_name
  std::filesystem::path pathmap;  ///< the file of the plan; for a recording a copy, removed with `recorded`
  std::shared_ptr<RecordedRun> recorded{};  ///< null for a running session
};

/// Adds the argument of a monitor: the file of a pathmap, or the name of a session.
void add_watched(CLI::App& app, std::filesystem::path& named);
/// Adds the argument of a monitor that also reads recordings.
void add_watched_or_recorded(CLI::App& app, std::filesystem::path& named);

/// The part of a recording that a monitor plays.
struct Played {
  enum class Part : std::uint8_t {
    all,     ///< everything, from the beginning, or from `at`, on
    moment,  ///< a quarter of a second that ends at `at`, or at the end: one look
    end      ///< as `all`, but the present is always the end: for questions about the last events
  };
  std::optional<AskedMoment> at{};  ///< nullopt: as given by `part`
  Part part{Part::all};
};
/// Adds `--at`, which only a recording accepts.
void add_at(CLI::App& app, Played& played);

/// Makes the consumer of the watched session.
Consumer consumer_of(const Watched& watched);
/// Makes the timeline of the watched session, which must outlive it, as must `signals`. Throws
/// ConfigurationError if `played.at` is given for a running session, or is outside of the recording.
std::unique_ptr<Timeline> timeline_of(const Watched& watched, StopSignals& signals,
                                      const Played& played = {});
/// Throws ConfigurationError if `played.at` is given for a running session.
void refuse_moment(const Watched& watched, const Played& played);
/// When playing begins, relative to the beginning of the recording. Throws as timeline_of does.
std::chrono::nanoseconds begin_of(RecordedRun& recorded, const Played& played);
/// CLOCK_REALTIME at the time when CLOCK_MONOTONIC was 0, on the machine whose CLOCK_MONOTONIC relates the
/// times in views.
std::int64_t realtime_when_booted(const Watched& watched);

/// Finds a session or recording by the user's name for it. A name that ends in ".yaml" or ".yml" or has a '/'
/// is a pathmap, `-` one on standard input. Any other name is, in this order: the session of the observer's
/// token in $EVENTSPACE_KEYS; a session of this machine without a pathmap; a file; the session of the process
/// with this id (session_of_process). If other processes of the session have a pathmap, prints that on
/// standard error.
///
/// A recording is accepted only if `recordings` allows it; otherwise it is a ConfigurationError.
///
/// Throws FaultyPathmap for a faulty pathmap; EnvironmentError, with advice, if there is neither a file nor a
/// process of that session, or its processes have a pathmap; ConfigurationError if `session` was given as
/// well as the name of a session, or a token is for another session.
enum class Recordings : std::uint8_t { refused, accepted };
Watched find_watched(const std::filesystem::path& named, const std::string& session,
                     Recordings recordings = Recordings::refused);

/// Returns the session by the user's name for it, like find_watched, whether or not its processes run. Throws
/// FaultyPathmap and ConfigurationError as find_watched does.
std::string find_session(const std::filesystem::path& named, const std::string& session);

}  // namespace eventspace
