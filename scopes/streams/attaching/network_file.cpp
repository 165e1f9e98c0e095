#include "scopes/streams/attaching/network_file.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <fstream>
#include <iterator>
#include <system_error>

#include <eventspace/error.h>
#include "paths/security/key_file.h"
#include "tuplespace/sockets/session_socket.h"
#include "tuplespace/system/runtime_directory.h"

namespace eventspace::streams {
namespace {

constexpr std::string_view extension = ".streams";

std::string text_of(const std::filesystem::path& file) {
  std::ifstream in(file);
  return {std::istreambuf_iterator<char>(in), {}};
}

}  // namespace

// The name was reserved with the lock of the front-end's socket, so an existing file is a leftover.
NetworkFile::NetworkFile(const AttachPoint& front_end)
    : file_(runtime_directory() / fmt::format("{}{}", front_end.network, extension)), owner_(::getpid()) {
  std::error_code ignored;
  std::filesystem::remove(file_, ignored);
  write_secret_file(file_, front_end.to_text());
}

NetworkFile::~NetworkFile() {
  std::error_code ignored;
  if (owner_ == ::getpid()) std::filesystem::remove(file_, ignored);
}

std::vector<AttachPoint> NetworkFile::find() {
  std::vector<AttachPoint> found;
  const auto directory = existing_runtime_directory();
  if (!directory) return found;
  std::error_code gone;
  for (const auto& entry : std::filesystem::directory_iterator(*directory, gone)) {
    if (entry.path().extension() != extension) continue;
    const std::string name = entry.path().stem();
    if (!SessionSocket(name, "0").is_taken()) {
      std::filesystem::remove(entry.path(), gone);
      continue;
    }
    try {
      found.push_back(AttachPoint::of_text(text_of(entry.path()), {}, entry.path().string()));
    } catch (const ConfigurationError&) {  // it is being written, or removed
      continue;
    }
  }
  std::ranges::sort(found, {}, &AttachPoint::network);
  return found;
}

}  // namespace eventspace::streams
