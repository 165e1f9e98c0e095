#pragma once

#include <gtest/gtest.h>
#include <signal.h>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <string>
#include <system_error>
#include <thread>

#include "tuplespace/processes/process_stat.h"

namespace eventspace::test {

/// Whether all threads of the process are stopped. False if the process does not exist.
inline bool is_stopped_whole(pid_t pid) {
  std::error_code error;
  const std::filesystem::directory_iterator threads("/proc/" + std::to_string(pid) + "/task", error);
  return !error && std::all_of(begin(threads), end(threads), [pid](const auto& thread) {
    const auto stat = read_process_stat(pid, std::stoi(thread.path().filename()));
    return !stat || stat->state == 'T';
  });
}

/// Sends SIGSTOP to the process, which need not be a child, and returns when it has stopped. On a busy
/// machine the thread that gets the signal may have to wait for a processor, and the other threads continue
/// until then.
inline void stop_whole(pid_t pid) {
  ASSERT_EQ(::kill(pid, SIGSTOP), 0) << pid;
  const auto limit = std::chrono::steady_clock::now() + std::chrono::seconds(60);
  while (!is_stopped_whole(pid) && std::chrono::steady_clock::now() < limit)
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  ASSERT_TRUE(is_stopped_whole(pid)) << pid;
}

}  // namespace eventspace::test
