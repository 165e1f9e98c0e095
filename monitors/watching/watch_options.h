#pragma once

// Private to monitors/.

#include <chrono>
#include <cstddef>
#include <filesystem>
#include <string>

#include "monitors/cli/options.h"

namespace eventspace {

/// What the monitors that pull again and again, until they have enough, are told alike.
struct WatchOptions {
  std::filesystem::path pathmap{};
  std::string session{};
  std::string scope{};
  std::chrono::nanoseconds interval{};
  std::chrono::nanoseconds duration{0};  ///< 0: no end
  std::chrono::nanoseconds timeout{0};   ///< 0: the scope's
  std::size_t count{0};                  ///< 0: no end
  bool quiet{false};
  bool cost{false};
  Format format{Format::text};

  [[nodiscard]] bool is_over(std::chrono::steady_clock::time_point start) const {
    return duration.count() > 0 && std::chrono::steady_clock::now() - start >= duration;
  }
};

/// `options` has the defaults of scope and interval; `counted` is what `--count` counts, such as "pulls".
void add_watch_options(CLI::App& app, WatchOptions& options, const std::string& counted);

}  // namespace eventspace
