#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "monitors/cli/build_info.h"

namespace eventspace {

/// A directory that EventSpace needs.
struct DirectoryFacts {
  std::filesystem::path directory;
  std::string refusal;  ///< why it cannot be used; empty if it can
  bool is_in_memory{false};
  std::uint64_t free_bytes{0};
  std::uint64_t all_bytes{0};
};

/// A file with secrets of this user.
struct KeyFileFacts {
  std::filesystem::path file;
  std::string refusal;  ///< why it cannot be used, as a message; empty if it can
};

/// A server of this user that runs on this machine.
struct ServerFacts {
  std::int32_t pid{0};
  std::string command;          ///< its command line
  bool is_same_program{false};  ///< it runs the same file as this process
  std::string build;            ///< "0.1.0 COMMIT" of its file; empty if not found there
};

/// The facts that `eventspace doctor` judges: the resources that this machine provides to this user. Reading
/// (read_machine_facts()) is separate from judging (monitors/doctor/diagnosis.h), so that tests can make
/// machines of any kind.
struct MachineFacts {
  BuildInfo build;
  DirectoryFacts shared_memory;
  DirectoryFacts runtime;
  std::vector<std::string> taken_names;  ///< lines of taken_directory_names()
  std::uint64_t orphans{0};              ///< files of dead processes in shared memory
  std::uint64_t orphan_bytes{0};
  std::uint64_t unknown_files{0};  ///< of processes that may be alive or dead

  bool uses_tsc{false};
  std::string clock_source;    ///< of the kernel; empty if unknown
  std::string clock_override;  ///< $EVENTSPACE_CLOCK
  std::string clock_refusal;   ///< why the clock cannot be used; empty if it can

  std::uint64_t soft_descriptors{0};
  std::uint64_t hard_descriptors{0};
  std::uint64_t locked_bytes{0};  ///< the limit (memlock); the largest number means unlimited
  bool may_watch_directories{true};

  std::optional<int> ptrace_scope;   ///< kernel.yama.ptrace_scope; nullopt if the kernel lacks this limit
  std::optional<int> perf_paranoid;  ///< kernel.perf_event_paranoid; nullopt if the kernel lacks perf events
  bool has_ptrace_right{false};      ///< CAP_SYS_PTRACE
  bool has_perf_right{false};        ///< CAP_PERFMON or CAP_SYS_ADMIN

  std::vector<KeyFileFacts> keys;
  std::vector<ServerFacts> servers;
  std::optional<std::filesystem::path> graphviz;
};

/// Reads the facts of this machine. Never throws because of its results, which become facts. Makes the
/// runtime directory and the user's directory in shared memory, as every command does.
MachineFacts read_machine_facts(const BuildInfo& build);

/// Returns VERSION and COMMIT from a program's text, which has them after a mark (cmake/this_build.cpp.in);
/// empty without a mark. Pure.
std::string build_in_program(std::string_view program);

}  // namespace eventspace
