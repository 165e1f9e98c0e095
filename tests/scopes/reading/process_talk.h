#pragma once

#include <fcntl.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstring>
#include <fstream>
#include <memory>
#include <span>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "tests/scopes/scope_talk.h"
#include "tests/tuplespace/tied_process.h"
#include "tests/tuplespace/trace/segment_talk.h"
#include "tuplespace/trace/segment_layout.h"

// Processes of an application, and segments that they leave, for tests of readers.

namespace eventspace::test {

/// Records events `first` to `last` of a process's run. Events start in ascending order, across runs, too.
inline void record_events(TraceWriter& writer, std::uint64_t first, std::uint64_t last,
                          std::uint32_t thread = 7) {
  static std::uint64_t ticks = 1000;
  for (std::uint64_t sequence = first; sequence <= last; ++sequence, ticks += 10) {
    const auto& w = event(sequence, ticks, ticks + 5, thread).words;
    writer.begin(w[1], w[2], w[3]);
    writer.end(w[4], w[5], w[6], w[7]);
  }
}

/// Returns a segment's bytes with a changed header and a correct checksum.
template <class Change>
std::vector<char> with_header(std::vector<char> bytes, Change change) {
  segment_layout::Header header;
  std::memcpy(&header, bytes.data(), sizeof header);
  change(header);
  const auto part = [&](std::uint64_t offset, std::size_t size) {
    return std::as_bytes(std::span(bytes)).subspan(offset, size);
  };
  header.checksum = segment_layout::checksum(
      header, part(header.threads_offset, header.thread_count * sizeof(std::uint32_t)),
      part(header.traces_offset, header.trace_count * sizeof(segment_layout::TraceEntry)));
  std::memcpy(bytes.data(), &header, sizeof header);
  return bytes;
}

/// Returns how many files of `directory`, removed ones included, this process has mapped.
inline std::size_t mapped_files(const std::filesystem::path& directory) {
  std::ifstream maps("/proc/self/maps");
  std::size_t count = 0;
  for (std::string line; std::getline(maps, line);) {
    count += line.find(directory.string() + "/") != std::string::npos ? 1 : 0;
  }
  return count;
}

/// Makes files in `directory` like the files of killed processes: each later than the one before, with a
/// process id that does not exist.
class KilledProcesses {
 public:
  explicit KilledProcesses(std::filesystem::path directory) : directory_(std::move(directory)) {}

  static std::string name_of(const std::string& process, std::int32_t pid) {
    return session_files::prefix("wind", "n1") + session_files::escaped(process) + "." + std::to_string(pid);
  }

  /// Makes the file of a run that recorded `events` events. `change` may change its configuration, `header`
  /// the header of the file.
  template <class Change, class ChangeHeader>
  std::filesystem::path leave(std::uint64_t events, Change change, ChangeHeader change_header) {
    Segment::Config config = small_segment(elsewhere_.path());
    change(config);
    Segment segment(config);
    TraceWriter writer = segment.writer(0);
    record_events(writer, 1, events);
    const std::int32_t pid = ++pid_;
    const auto bytes = with_header(content_of(segment.path()), [&](segment_layout::Header& header) {
      header.pid = pid;
      change_header(header);
    });
    std::filesystem::path file = directory_ / name_of(config.identity.process, pid);
    write_file(file, bytes);
    return file;
  }
  template <class Change>
  std::filesystem::path leave(std::uint64_t events, Change change) {
    return leave(events, change, [](segment_layout::Header&) {});
  }
  std::filesystem::path leave(std::uint64_t events) {
    return leave(events, [](Segment::Config&) {});
  }

 private:
  static constexpr std::int32_t beyond_all_ids = 1 << 22;

  std::filesystem::path directory_;
  TemporaryDirectory elsewhere_;
  std::int32_t pid_{beyond_all_ids};
};

/// A real process that makes a segment, records events 1 to `events` in it and waits for end() or kill(). The
/// destructor kills it.
class LiveProcess {
 public:
  explicit LiveProcess(const Segment::Config& config, std::uint64_t events = 0) {
    int from_child[2], to_child[2];
    if (::pipe2(from_child, O_CLOEXEC) != 0 || ::pipe2(to_child, O_CLOEXEC) != 0)
      throw std::runtime_error("no pipe");
    child_ = fork_tied();
    if (child_ == 0) live(config, events, from_child[1], to_child[0]);
    ::close(from_child[1]);
    ::close(to_child[0]);
    order_ = to_child[1];
    char done = 0;
    const bool is_ready = child_ > 0 && ::read(from_child[0], &done, 1) == 1;
    ::close(from_child[0]);
    if (!is_ready) throw std::runtime_error("the process did not start");
  }
  ~LiveProcess() {
    ::close(order_);
    if (child_ <= 0) return;
    ::kill(child_, SIGKILL);
    reap();
  }
  LiveProcess(const LiveProcess&) = delete;
  LiveProcess& operator=(const LiveProcess&) = delete;

  [[nodiscard]] pid_t pid() const { return child_; }
  void end() {
    const char order = 'e';
    if (::write(order_, &order, 1) != 1) throw std::runtime_error("the process does not listen");
    reap();
  }
  void kill() {
    kill_unreaped();
    reap();
  }
  /// Kills the process and leaves a zombie.
  void kill_unreaped() const {
    ::kill(child_, SIGKILL);
    siginfo_t info{};
    ::waitid(P_PID, static_cast<id_t>(child_), &info, WEXITED | WNOWAIT);
  }
  void stop() const {
    ::kill(child_, SIGSTOP);
    ::waitpid(child_, nullptr, WUNTRACED);
  }
  void go_on() const {
    ::kill(child_, SIGCONT);
    ::waitpid(child_, nullptr, WCONTINUED);
  }

 private:
  [[noreturn]] static void live(const Segment::Config& config, std::uint64_t events, int ready, int order) {
    try {
      auto segment = std::make_unique<Segment>(config);
      TraceWriter writer = segment->writer(0);
      record_events(writer, 1, events);
      char letter = 'r';
      if (::write(ready, &letter, 1) == 1 && ::read(order, &letter, 1) == 1) segment.reset();
    } catch (...) {  // the parent notices that the pipe is closed
    }
    ::_exit(0);
  }
  void reap() { ::waitpid(std::exchange(child_, -1), nullptr, 0); }

  pid_t child_{-1};
  int order_{-1};
};

}  // namespace eventspace::test
