#include "monitors/doctor/machine_facts.h"

#include <fmt/format.h>
#include <sys/inotify.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/statfs.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include <algorithm>
#include <cctype>
#include <cstdlib>
#include <sstream>

#include <eventspace/error.h>
#include "collectors/clock.h"
#include "monitors/servers/find_program.h"
#include "monitors/servers/segment_list.h"
#include "pathmaps/sessions/own_process.h"
#include "paths/security/key_file.h"
#include "tuplespace/parsing/number_in.h"
#include "tuplespace/system/file_beginning.h"
#include "tuplespace/system/mapping.h"
#include "tuplespace/system/runtime_directory.h"
#include "tuplespace/system/session_files.h"

namespace eventspace {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t longest_text = 1 << 16;       // of files in /proc that are read whole
constexpr std::size_t longest_program = 256 << 20;  // debug builds are large

std::string line_in(const fs::path& file) {
  const std::string text = beginning_of_file(file, longest_text);
  return text.substr(0, text.find('\n'));
}

std::optional<int> number_in_file(const fs::path& file) {
  const std::string line = line_in(file);
  std::string_view rest = line;
  return take_number<int>(rest);
}

void measure(DirectoryFacts& facts) {
  constexpr auto tmpfs = 0x01021994;  // TMPFS_MAGIC of linux/magic.h
  struct statfs kind {};
  struct statvfs space {};
  if (::statfs(facts.directory.c_str(), &kind) == 0) facts.is_in_memory = kind.f_type == tmpfs;
  if (::statvfs(facts.directory.c_str(), &space) != 0) return;
  facts.free_bytes = std::uint64_t{space.f_bavail} * space.f_frsize;
  facts.all_bytes = std::uint64_t{space.f_blocks} * space.f_frsize;
}

// `find` returns the directory, or throws with the reason why it is unavailable.
template <class Find>
DirectoryFacts directory_facts(const fs::path& otherwise, const Find& find) {
  DirectoryFacts facts;
  facts.directory = otherwise;
  try {
    facts.directory = find();
    std::error_code why;
    if (!fs::is_directory(facts.directory, why))
      facts.refusal = why ? why.message() : "it does not exist or is not a directory";
    else if (::access(facts.directory.c_str(), W_OK | X_OK) != 0)
      facts.refusal = "no permission to create files in it";
    measure(facts);
  } catch (const Error& error) {
    facts.refusal = error.what();
  }
  return facts;
}

void read_clock(MachineFacts& facts) {
  facts.clock_override = environment("EVENTSPACE_CLOCK");
  facts.clock_source = line_in("/sys/devices/system/clocksource/clocksource0/current_clocksource");
  try {
    facts.uses_tsc = Clock::instance().uses_tsc();
  } catch (const Error& error) {
    facts.clock_refusal = error.what();
  }
}

void read_limits(MachineFacts& facts) {
  struct rlimit limit {};
  if (::getrlimit(RLIMIT_NOFILE, &limit) == 0) {
    facts.soft_descriptors = limit.rlim_cur;
    facts.hard_descriptors = limit.rlim_max;
  }
  if (::getrlimit(RLIMIT_MEMLOCK, &limit) == 0) facts.locked_bytes = limit.rlim_cur;
  const FileHandle watch(::inotify_init1(IN_CLOEXEC));
  facts.may_watch_directories = watch.valid();
}

// The rights of capabilities(7) that this process has, as bits.
std::uint64_t capabilities() {
  const std::string status = beginning_of_file("/proc/self/status", longest_text);
  const std::size_t line = status.find("\nCapEff:");
  if (line == std::string::npos) return 0;
  return std::strtoull(status.c_str() + line + 8, nullptr, 16);
}

void read_rights(MachineFacts& facts) {
  constexpr auto has = [](std::uint64_t rights, int bit) { return (rights >> bit & 1) == 1; };
  constexpr int sys_ptrace = 19;
  constexpr int sys_admin = 21;
  constexpr int perfmon = 38;
  const std::uint64_t rights = capabilities();
  facts.has_ptrace_right = has(rights, sys_ptrace);
  facts.has_perf_right = has(rights, perfmon) || has(rights, sys_admin);
  facts.ptrace_scope = number_in_file("/proc/sys/kernel/yama/ptrace_scope");
  facts.perf_paranoid = number_in_file("/proc/sys/kernel/perf_event_paranoid");
}

KeyFileFacts key_facts(const fs::path& file) {
  try {
    read_secret_file(file, "the keys");
    return {file, ""};
  } catch (const Error& error) {
    return {file, error.what()};
  }
}

void read_keys(MachineFacts& facts) {
  const char* const given = std::getenv("EVENTSPACE_KEYS");
  if (given != nullptr && *given != '\0') facts.keys.push_back(key_facts(given));
  if (!facts.runtime.refusal.empty()) return;
  std::error_code ignored;
  for (const auto& session : fs::directory_iterator(facts.runtime.directory, ignored)) {
    const fs::path file = session.path() / "keys";
    if (fs::symlink_status(file, ignored).type() != fs::file_type::not_found &&
        session.is_directory(ignored) && !session.is_symlink(ignored))
      facts.keys.push_back(key_facts(file));
  }
}

// The words of a command line, each terminated by a zero, joined with blanks.
std::string command_of(const fs::path& process) {
  std::string words = beginning_of_file(process / "cmdline", longest_text);
  while (!words.empty() && words.back() == '\0') words.pop_back();
  std::ranges::replace(words, '\0', ' ');
  return words;
}

bool is_own(const fs::path& process) {
  struct stat status {};
  return ::stat(process.c_str(), &status) == 0 && status.st_uid == ::geteuid();
}

bool is_server(const std::string& command) {
  std::istringstream words(command);
  std::string program;
  std::string verb;
  words >> program >> verb;
  return fs::path(program).filename() == "eventspace" && verb == "serve";
}

void read_servers(MachineFacts& facts) {
  std::error_code ignored;
  for (const auto& process : fs::directory_iterator("/proc", ignored)) {
    const std::string name = process.path().filename().string();
    if (name.find_first_not_of("0123456789") != std::string::npos) continue;
    if (!is_own(process.path())) continue;
    const std::string command = command_of(process.path());
    if (!is_server(command)) continue;
    const fs::path program = process.path() / "exe";
    ServerFacts server{std::atoi(name.c_str()), command, false, ""};
    server.is_same_program = fs::equivalent(program, "/proc/self/exe", ignored);
    if (!server.is_same_program) server.build = build_in_program(beginning_of_file(program, longest_program));
    facts.servers.push_back(server);
  }
}

void read_orphans(MachineFacts& facts) {
  try {
    for (const SegmentEntry& entry : list_segments("")) {
      facts.unknown_files += entry.state == SegmentState::unknown ? 1 : 0;
      if (!entry.is_orphan()) continue;
      ++facts.orphans;
      facts.orphan_bytes += entry.bytes;
    }
  } catch (const Error&) {
    // The directory cannot be read; a separate fact has that.
  }
}

}  // namespace

std::string build_in_program(std::string_view program) {
  // In two parts, so that the search does not find this string itself.
  const std::string mark = std::string("@(#)") + std::string("eventspace ");
  for (std::size_t at = 0; (at = program.find(mark, at)) != std::string_view::npos;) {
    at += mark.size();
    const std::string_view build =
        program.substr(at, std::min<std::size_t>(program.find('\0', at) - at, 128));
    if (!build.empty() && std::isdigit(static_cast<unsigned char>(build.front())) != 0)
      return std::string(build);
  }
  return "";
}

MachineFacts read_machine_facts(const BuildInfo& build) {
  MachineFacts facts;
  facts.build = build;
  facts.shared_memory = directory_facts(shared_memory_directory(), [] { return segment_directory(); });
  facts.runtime = directory_facts("the runtime directory", [] { return runtime_directory(); });
  if (facts.runtime.refusal.empty()) facts.taken_names = taken_directory_names();
  read_orphans(facts);
  read_clock(facts);
  read_limits(facts);
  read_rights(facts);
  read_keys(facts);
  read_servers(facts);
  facts.graphviz = find_program("dot");
  return facts;
}

}  // namespace eventspace
