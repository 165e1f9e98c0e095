#include "apps/windtunnel/program/progress_bar.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <cstdio>
#include <mutex>
#include <stop_token>

namespace eventspace::windtunnel {
namespace {

constexpr std::size_t kWidth = 40;

// Waits for `time`, or less if a stop is requested; returns false in that case.
bool pause(const std::stop_token& stop, std::chrono::milliseconds time) {
  std::mutex mutex;
  std::condition_variable_any condition;
  std::unique_lock lock(mutex);
  condition.wait_for(lock, stop, time, [] { return false; });
  return !stop.stop_requested();
}

void redraw(const std::stop_token& stop, const Team& team, std::uint64_t steps) {
  do fmt::print(stderr, "\r{}", draw_bar(team.steps_done(), steps, kWidth));
  while (pause(stop, std::chrono::milliseconds(200)));
  fmt::print(stderr, "\r{}\n", draw_bar(team.steps_done(), steps, kWidth));
}

void print_lines(const std::stop_token& stop, const Team& team, std::uint64_t steps) {
  // A run of an hour leaves about sixty lines in a log, and a run of seconds quickly shows progress.
  constexpr std::chrono::milliseconds longest = std::chrono::minutes(1);
  for (std::chrono::milliseconds wait = std::chrono::seconds(2); pause(stop, wait);
       wait = std::min(2 * wait, longest))
    fmt::print(stderr, "windtunnel: {} of {} steps\n", team.steps_done(), steps);
}

}  // namespace

std::string draw_bar(std::uint64_t done, std::uint64_t steps, std::size_t width) {
  const auto filled = steps == 0 ? width : static_cast<std::size_t>(done * width / steps);
  return fmt::format("[{:#<{}}{:.<{}}] {} of {} steps", "", filled, "", width - filled, done, steps);
}

ProgressBar::ProgressBar(const Team& team, std::uint64_t steps)
    : thread_([&team, steps](const std::stop_token& stop) {
        if (::isatty(STDERR_FILENO) == 1)
          redraw(stop, team, steps);
        else
          print_lines(stop, team, steps);
      }) {}

}  // namespace eventspace::windtunnel
