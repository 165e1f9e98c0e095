#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <set>
#include <string>
#include <thread>

namespace eventspace::test {

/// Returns whether thread `id` of this process blocks all signals that can be blocked.
inline bool blocks_all_signals(const std::string& id) {
  std::ifstream status("/proc/self/task/" + id + "/status");
  std::string word;
  while (status >> word && word != "SigBlk:") {
  }
  status >> word;
  // SIGKILL and SIGSTOP cannot be blocked; the C library keeps signals 32 and 33 for itself.
  constexpr std::uint64_t others = (1ull << 8) | (1ull << 18) | (3ull << 31);
  return (std::strtoull(word.c_str(), nullptr, 16) | others) == ~0ull;
}

/// The threads of this process that were started after the construction of this object.
class NewThreads {
 public:
  [[nodiscard]] std::ptrdiff_t that_block_all_signals() const {
    const auto ids = all();
    return std::ranges::count_if(ids, blocks_all_signals);
  }
  [[nodiscard]] std::ptrdiff_t that_do_not() const {
    const auto ids = all();
    return std::ranges::count_if(ids, [](const auto& id) { return !blocks_all_signals(id); });
  }

 private:
  static std::set<std::string> of_this_process() {
    std::set<std::string> ids;
    for (const auto& entry : std::filesystem::directory_iterator("/proc/self/task"))
      ids.insert(entry.path().filename());
    return ids;
  }
  [[nodiscard]] std::set<std::string> all() const {
    std::set<std::string> added;
    std::ranges::set_difference(of_this_process(), before_, std::inserter(added, added.end()));
    return added;
  }

  // A sanitizer starts its own thread together with the first one.
  static std::set<std::string> with_those_of_sanitizers() {
    std::thread([] {}).join();
    return of_this_process();
  }

  const std::set<std::string> before_{with_those_of_sanitizers()};
};

}  // namespace eventspace::test
