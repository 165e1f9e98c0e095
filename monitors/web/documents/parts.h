#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "monitors/heartbeat/culprit_stacks.h"
#include "monitors/profile/job_profile.h"
#include "monitors/top/model.h"
#include "monitors/web/documents/document.h"
#include "pathmaps/plan/plan.h"
#include "paths/views/view.h"
#include "scopes/tree/plan_names.h"

/// The parts of a session's document, made from the state of the screens of `top`. docs/web.md describes
/// their members. Each function is pure; times are in seconds.
namespace eventspace::web {

/// A state, and what its numbers mean.
struct Looked {
  const top::State* state{nullptr};
  const Plan* plan{nullptr};
  const PlanNames* names{nullptr};
  const std::vector<CulpritStack>* stacks{nullptr};  ///< of the culprits; null if they are not read
  std::optional<std::string> complaint{};            ///< of the pace of looks (HeartbeatPace)
};

/// The session, for the part "about".
struct About {
  std::string name;  ///< as the user gave it
  std::string session;
  std::string_view kind;                             ///< "session", "pathmap" or "recording"
  std::optional<std::int64_t> begin_ns{};            ///< of a recording, since 1970
  std::optional<std::chrono::nanoseconds> length{};  ///< the same
};
Json about_part(const About& about, const Looked& looked);
/// Names of threads, processes and nodes, in the order of the numbers in other parts.
Json names_part(const Looked& looked);

/// The threads of each block of `threads_in_block`: "threads/0", "threads/1", ...
inline constexpr std::size_t threads_in_block = 64;
Document::Parts thread_parts(const Looked& looked);
/// The letter of a verdict in "threads/K".
char letter_of(Verdict verdict) noexcept;

/// How serious the state is, and a sentence that says it.
struct Sentence {
  std::string_view severity;  ///< "ok", "late", "stall", "ended" or "unknown"
  std::string text;
};
Sentence sentence_of(const Looked& looked);
Json verdict_part(const Looked& looked);
Json wait_part(const Looked& looked);

Json rates_part(const Looked& looked);
Json losses_part(const Looked& looked);
Json cost_part(const Looked& looked);
Json servers_part(const Looked& looked);
Json collective_part(const Looked& looked);

/// The sums over the events that a page has read (EventReading).
struct EventSums {
  const JobProfile* profile{nullptr};
  const PlanNames* names{nullptr};  ///< of the numbers in the profile
  Loss loss{};
  std::size_t missing{0};  ///< how many views lacked a part
  double since_s{0};    ///< on the document's clock, when reading began, with the events that were kept then
  bool is_whole{true};  ///< false while more of a recording is read
};
/// The parts "profile", "profile/K", "call_sites", "calls_of/N", "communication" and "flows/N", as far as
/// they are wanted; of these, the last two only `with_matrices`.
Document::Parts event_parts(const EventSums& sums, const WantedParts& wanted, bool with_matrices = true);
/// Whether one of them is wanted.
bool wants_events(const WantedParts& wanted);

/// Why a part has no value: {"reason": "..."}.
Json no_part(std::string_view reason);

double seconds_of(std::chrono::nanoseconds duration) noexcept;
std::optional<double> seconds_of(const std::optional<std::chrono::nanoseconds>& duration) noexcept;
/// Rounded to four digits: for rates and shares, whose further digits would only take room.
double rounded(double value) noexcept;

}  // namespace eventspace::web
