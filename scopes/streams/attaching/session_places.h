#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "tuplespace/system/mapping.h"

namespace eventspace::streams {

/// Publishes a process's places for back-ends to the processes of a session on this machine, as long as this
/// object exists, by a file NETWORK.PROCESS.places in runtime_directory() that only this user can read. The
/// file has the line "session NAME" and the text of an attach point. The process that made it holds a lock on
/// it, so a file without a lock is left over from a killed process. Not thread-safe.
class SessionPlaces {
 public:
  /// `text`: as read by AttachPoint::of_text. Throws EnvironmentError if the file cannot be written.
  SessionPlaces(std::string_view session, std::string_view network, std::uint32_t process,
                std::string_view text);
  ~SessionPlaces();
  SessionPlaces(const SessionPlaces&) = delete;
  SessionPlaces& operator=(const SessionPlaces&) = delete;

  /// A network of a session: all its places on this machine, as the text of an attach point.
  struct Found {
    std::string network;
    std::string text;
  };
  /// The networks of a session, by name. Removes leftovers.
  [[nodiscard]] static std::vector<Found> find(std::string_view session);

 private:
  std::filesystem::path file_;
  FileHandle lock_;
  std::int32_t owner_;
};

}  // namespace eventspace::streams
