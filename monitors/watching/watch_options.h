#pragma once

#include <chrono>
#include <cstddef>
#include <filesystem>
#include <string>

#include "monitors/cli/options.h"
#include "monitors/watching/budget_option.h"
#include "monitors/watching/watch_loop.h"
#include "monitors/watching/watched.h"

namespace eventspace {

/// The options of all monitors that pull repeatedly.
struct WatchOptions {
  std::filesystem::path pathmap{};
  std::string session{};
  std::string scope{};
  std::chrono::nanoseconds interval{};
  std::chrono::nanoseconds duration{0};  ///< 0: no limit
  std::chrono::nanoseconds timeout{0};   ///< of a pull; 0: the scope's
  std::size_t count{0};                  ///< 0: no limit
  bool quiet{false};
  bool verbose{false};
  Format format{Format::text};
  Played played{};
  Budget budget{};

  /// `--for`; `count` is left out, because monitors count different things.
  [[nodiscard]] WatchLoop::Limits limits() const {
    return {duration.count() > 0 ? std::optional(duration) : std::nullopt};
  }
};

/// Adds the options to `app`. `options` holds the defaults of scope and interval; `counted` is the noun for
/// the things that `--count` limits, such as "pulls".
void add_watch_options(CLI::App& app, WatchOptions& options, const std::string& counted);

}  // namespace eventspace
