#include "tuplespace/sockets/served_sockets.h"

#include <algorithm>
#include <fstream>
#include <system_error>
#include <tuple>

#include "tuplespace/system/runtime_directory.h"
#include "tuplespace/system/session_files.h"
#include "tuplespace/system/shared_file.h"

namespace eventspace {

// The text of a lock is "PID\nSESSION\nSERVER\nIDENTITY\n"; see SessionSocket. It is only used in messages,
// so other content is not an error.
std::optional<ServedSocket> read_served_socket(const std::filesystem::path& lock) {
  std::ifstream in(lock);
  ServedSocket served;
  std::string pid;
  if (!std::getline(in, pid) || !std::getline(in, served.session)) return std::nullopt;
  std::string identity;
  (void)(std::getline(in, served.server) && std::getline(in, identity));
  auto process = identity_in(identity);
  if (!process) process = identity_in(pid);
  if (!process || served.session.empty()) return std::nullopt;
  served.process = *process;
  std::error_code error;
  const auto written = std::filesystem::last_write_time(lock, error);
  if (!error)
    served.age =
        std::max(std::filesystem::file_time_type::clock::now() - written, std::chrono::nanoseconds(0));
  return served;
}

std::vector<ServedSocket> find_served_sockets() {
  std::vector<ServedSocket> found;
  const auto directory = existing_runtime_directory();
  if (!directory) return found;
  for (const std::filesystem::path& file : session_files::find(*directory, "")) {
    if (file.extension() != ".lock" || !is_in_use(file)) continue;
    if (auto served = read_served_socket(file)) found.push_back(std::move(*served));
  }
  std::ranges::sort(found, {}, [](const ServedSocket& one) { return std::tie(one.session, one.server); });
  return found;
}

}  // namespace eventspace
