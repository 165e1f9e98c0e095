#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include <eventspace/streams.h>

namespace eventspace::streams {

/// Publishes a network for other programs of the same user on this machine: a file NAME.streams in
/// runtime_directory(), with the attach point of the front-end as text, as long as this object exists. A
/// killed front-end leaves the file; the lock of its socket shows whether it lives
/// (tuplespace/sockets/session_socket.h). Thread-safe.
class NetworkFile {
 public:
  /// Throws EnvironmentError if the file cannot be written.
  explicit NetworkFile(const AttachPoint& front_end);
  ~NetworkFile();
  NetworkFile(const NetworkFile&) = delete;
  NetworkFile& operator=(const NetworkFile&) = delete;

  /// The front-ends of the networks that this user runs on this machine, by name. Removes the files of killed
  /// ones.
  [[nodiscard]] static std::vector<AttachPoint> find();

 private:
  std::filesystem::path file_;
  std::int32_t owner_;
};

}  // namespace eventspace::streams
