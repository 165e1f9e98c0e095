#include "tuplespace/system/served_sockets.h"

#include <algorithm>
#include <charconv>
#include <filesystem>
#include <fstream>
#include <optional>
#include <tuple>

#include "tuplespace/system/runtime_directory.h"
#include "tuplespace/system/session_files.h"
#include "tuplespace/system/shared_file.h"

namespace eventspace {
namespace {

// The text of a lock is "PID\nSESSION\nSERVER\n"; see SessionSocket. It only helps messages, so a file of
// another content is no error.
std::optional<ServedSocket> read_lock(const std::filesystem::path& lock) {
  std::ifstream in(lock);
  ServedSocket served;
  std::string pid;
  if (!std::getline(in, pid) || !std::getline(in, served.session) || !std::getline(in, served.server))
    return std::nullopt;
  std::from_chars(pid.data(), pid.data() + pid.size(), served.pid);
  return served.pid > 0 && !served.session.empty() ? std::optional(served) : std::nullopt;
}

}  // namespace

std::vector<ServedSocket> find_served_sockets() {
  std::vector<ServedSocket> found;
  const auto directory = existing_runtime_directory();
  if (!directory) return found;
  for (const std::filesystem::path& file : session_files::find(*directory, "")) {
    if (file.extension() != ".lock" || !is_in_use(file)) continue;
    if (auto served = read_lock(file)) found.push_back(std::move(*served));
  }
  std::ranges::sort(found, {}, [](const ServedSocket& one) { return std::tie(one.session, one.server); });
  return found;
}

}  // namespace eventspace
