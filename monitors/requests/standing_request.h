#pragma once

// Private to monitors/.

#include <sys/types.h>

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "tuplespace/system/mapping.h"

namespace eventspace {

/// A conditional request that stands: a file in a directory of this user (runtime_directory()), by which
/// other commands find it, disable it, enable it and delete it while it stands. Removed by the destructor.
/// Not thread-safe.
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
  /// Throws ConfigurationError if the name has other characters than letters, digits, '-' and '_', or
  /// belongs to a request of a process that lives; EnvironmentError if the file cannot be written.
  explicit StandingRequest(const Text& text);
  ~StandingRequest();
  StandingRequest(const StandingRequest&) = delete;
  StandingRequest& operator=(const StandingRequest&) = delete;

  enum class State : std::uint8_t { enabled, disabled, deleted };
  /// What others have made of it.
  [[nodiscard]] State state() const;
  /// Tells how many events there were. On failure others see an older number.
  void tell(std::uint64_t matches) const;

  /// A request as others see it.
  struct Listed : Text {
    std::int32_t pid{0};
    std::uint64_t matches{0};
    bool is_enabled{true};
  };
  /// The requests of processes that live, by name. Removes those of processes that do not.
  static std::vector<Listed> all();
  /// Throw ConfigurationError, with near names, if there is no request of this name.
  static void enable(const std::string& name, bool is_enabled);
  static void remove(const std::string& name);

 private:
  std::filesystem::path file_;
  FileHandle lock_;  // tells that it stands, also in other PID namespaces
  ino_t inode_{0};
};

}  // namespace eventspace
