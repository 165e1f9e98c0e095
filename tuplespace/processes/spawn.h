#pragma once

#include <spawn.h>

#include <filesystem>
#include <string>
#include <vector>

namespace eventspace {

/// Returns the words as execv(3) takes them, with a null pointer at the end. The words must outlive them.
std::vector<char*> pointers_to(const std::vector<std::string>& words);

/// The settings for starting a program with posix_spawn(3): its files, signals and process group. By default
/// it has the files of this process, unblocked signals, and the same process group. Not thread-safe.
class Spawn {
 public:
  Spawn();
  ~Spawn();
  Spawn(const Spawn&) = delete;
  Spawn& operator=(const Spawn&) = delete;

  /// `descriptor` becomes the file. A new file has mode 0600. `file` is not copied.
  void open(int descriptor, const char* file, int flags);
  /// `descriptor` becomes a copy of `original`.
  void duplicate(int original, int descriptor);
  /// Closes all descriptors from this one on, including those of earlier calls.
  void close_from(int descriptor);
  /// Restores the default actions of these signals, even if this process ignores them.
  void restore(const std::vector<int>& signals);
  void restore_all();
  void lead_process_group();  ///< of its own
  void lead_session();        ///< of its own, and so also a process group

  /// Starts `program`, which is looked up in PATH unless it has a '/', with `words` as its arguments,
  /// beginning with its name, and an environment of "NAME=VALUE". Returns its process id. Throws
  /// EnvironmentError ("cannot start PROGRAM: REASON") if that fails.
  [[nodiscard]] int start(const std::filesystem::path& program, const std::vector<std::string>& words,
                          const std::vector<std::string>& environment);

 private:
  posix_spawn_file_actions_t files_{};
  posix_spawnattr_t attributes_{};
  int flags_;
};

/// Returns the environment of this process as "NAME=VALUE".
std::vector<std::string> own_environment();

}  // namespace eventspace
