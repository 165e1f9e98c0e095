#pragma once

#include <sys/types.h>

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "tuplespace/system/mapping.h"

namespace eventspace {

/// An active conditional request: a file in a directory of this user (runtime_directory()), by which other
/// commands find it, disable it, enable it and delete it. Removed by the destructor. Not thread-safe.
///
///     NAME            version, pid, start of the process, session, event, condition, actions; a line each.
///     Locked
///                     as long as it stands
///     NAME.disabled   exists while it is disabled
///     NAME.matches    how many events there were so far
class StandingRequest {
 public:
  struct Text {
    std::string name;
    std::string session;
    std::string event;
    std::string condition;  ///< empty: none
    std::string actions;    ///< with "; " between them
  };
  /// Throws ConfigurationError if the name contains characters other than letters, digits, '-' and '_', or
  /// belongs to a request of a living process; EnvironmentError if the file cannot be written.
  explicit StandingRequest(const Text& text);
  ~StandingRequest();
  StandingRequest(const StandingRequest&) = delete;
  StandingRequest& operator=(const StandingRequest&) = delete;

  enum class State : std::uint8_t { enabled, disabled, deleted };
  /// The state that other commands have set.
  [[nodiscard]] State state() const;
  /// Publishes how many events there were. On failure other commands see an older number.
  void tell(std::uint64_t matches) const;

  /// A request as other commands see it.
  struct Listed : Text {
    std::int32_t pid{0};
    std::uint64_t matches{0};
    bool is_enabled{true};
  };
  /// The requests of living processes, by name. Removes requests of processes that have ended.
  static std::vector<Listed> all();
  /// Throws ConfigurationError, with near names, if the request does not exist.
  static void enable(const std::string& name, bool is_enabled);
  static void remove(const std::string& name);

 private:
  std::filesystem::path file_;
  FileHandle lock_;  // held while it is active; visible also in other PID namespaces
  ino_t inode_{0};
};

}  // namespace eventspace
