#pragma once

#include <chrono>
#include <cstdint>
#include <ostream>
#include <set>
#include <string>

#include "monitors/watching/reach.h"
#include "paths/views/view.h"
#include "scopes/tree/plan_names.h"

namespace eventspace {

/// Counts the events that a monitor saw or missed over all its pulls. Not thread-safe.
struct WatchTally {
  std::uint64_t events{0};     ///< counted by the caller of add()
  std::uint64_t not_shown{0};  ///< events of the last view, when a signal came while it was printed
  std::uint64_t unread{0};     ///< events that had ended when the monitor was to end, and were not read
  std::uint64_t pulls{0};
  std::uint64_t partial_pulls{0};
  bool saw_process{false};  ///< whether a process of the session was read
  bool saw_answer{false};   ///< whether all servers answered a pull in time
  Loss loss;
  std::set<std::string> missing;       ///< all parts that were sometimes missing, with the cause...
  std::set<std::string> unread_parts;  ///< ...and the parts of these that may have had events
  std::set<std::uint32_t> thinned;     ///< processes that did not record all events at times
  std::set<std::string>
      thinned_to{};  ///< some of their settings (describe() of a CollectState), at most max_settings + 1
  static constexpr std::size_t max_settings = 4;
  std::set<std::string> jumped;  ///< nodes whose clock jumped, or a clock on the way to them

  void add(const View& view, const PlanNames& names);
  /// One sentence that says that counts, totals and rates are too low, because processes did not record all
  /// events (`eventspace switch`, `--budget`); empty if all recorded all.
  [[nodiscard]] std::string thinned_text() const;
  /// Prints all counts for display, a line for each. `elapsed`: how long the monitor watched.
  void print(std::ostream& out, std::chrono::nanoseconds elapsed) const;
  /// The part of print() that is about losses.
  void print_losses(std::ostream& out) const;
  /// One sentence with everything that was lost and changes the answer, "incomplete: 3 records were discarded
  /// before they were read"; empty if there is nothing. `of_recording`: a recording was watched.
  [[nodiscard]] std::string incomplete(bool of_recording) const;
  [[nodiscard]] Found found() const noexcept;
  /// True when every pull was partial and without events.
  [[nodiscard]] bool saw_nothing() const noexcept { return events == 0 && partial_pulls == pulls; }
};

}  // namespace eventspace
