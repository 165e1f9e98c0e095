#pragma once

#include <gmock/gmock.h>

#include <chrono>
#include <filesystem>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "monitors/servers/child_process.h"
#include "tests/monitors/ground.h"
#include "tests/monitors/servers/sweeper.h"

namespace eventspace::testing_commands {

inline constexpr std::chrono::seconds generous{60};

/// The scopes that the monitors use, for a pathmap's `scopes:`.
inline constexpr const char* monitors_scopes =
    "  heartbeat:\n"
    "    timeout: 5s\n"
    "    levels: [{group: all, wrapper: gather}, {group: node, wrapper: gather},\n"
    "             {group: thread, wrapper: {reduce: {keep: latest}}}]\n"
    "  events:\n"
    "    read: next\n"
    "    timeout: 5s\n"
    "    levels: [{group: all, wrapper: gather}, {group: node, wrapper: gather}]\n"
    "  values:\n"
    "    read: next\n"
    "    timeout: 5s\n"
    "    levels: [{group: all, wrapper: gather},\n"
    "             {group: node, wrapper: {aggregate: {of: bytes, as: histogram, by: thread}}}]\n";

/// Waits until `condition` holds. Returns whether it did within the limit.
bool eventually(const std::function<bool()>& condition, std::chrono::nanoseconds limit = generous);

std::string read_text(const std::filesystem::path& file);

/// A loopback port that was free a moment ago.
int free_port();

/// A port on which this process listens while the object exists.
class TakenPort {
 public:
  TakenPort();
  ~TakenPort();
  TakenPort(const TakenPort&) = delete;
  TakenPort& operator=(const TakenPort&) = delete;
  [[nodiscard]] int number() const noexcept { return number_; }

 private:
  int socket_;
  int number_;
};

/// A run of the program `eventspace` that a test started, with its output so far.
class Call {
 public:
  /// `launch`: the words of a command that starts it.
  Call(const std::filesystem::path& directory, int number, const std::vector<std::string>& arguments,
       const std::vector<std::string>& launch = {});
  ~Call();  ///< kills it if it still runs
  Call(Call&& other) noexcept = default;

  int status(std::chrono::nanoseconds limit = generous);  ///< waits for its end
  [[nodiscard]] std::string out() const { return read_text(out_); }
  [[nodiscard]] std::string err() const { return read_text(err_); }
  /// Waits until it has written `text` to standard output or error. Returns whether it did.
  [[nodiscard]] bool says(const std::string& text) const;
  void signal(int number) { process_->signal(number); }
  [[nodiscard]] int pid() const { return process_->pid(); }

 private:
  std::filesystem::path out_, err_;
  std::unique_ptr<ChildProcess> process_;
};

/// The fixture of tests that start processes: a directory for shared memory, runtime files and pathmaps, and
/// a ground for its nodes. All processes that a test starts end with it, even if it is killed.
class Workplace : public testing::Test {
 protected:
  Workplace();
  ~Workplace() override;

  [[nodiscard]] Ground& ground() const { return *ground_; }
  [[nodiscard]] std::filesystem::path file(const std::string& name) const { return directory_ / name; }
  std::filesystem::path write(const std::string& name, const std::string& text) const;
  /// Starts `eventspace ARGUMENTS...` on this machine, or by the command `launch`.
  Call start(const std::vector<std::string>& arguments, const std::vector<std::string>& launch = {});
  /// Starts it like start(), and waits for its end.
  Call call(const std::vector<std::string>& arguments);

  /// Starts the servers of a pathmap; throws, and so ends the test, when they do not start.
  void start_servers_of(const std::filesystem::path& pathmap);
  /// Starts `command` as its processes p0 and p1, and waits until both have reported that they are ready;
  /// throws otherwise.
  Call start_application_of(const std::filesystem::path& pathmap, const std::vector<std::string>& command);

  /// The description of a node of the ground in a pathmap: {host: ..., port: ..., launch: ...}; with port 0 a
  /// node of this machine without a port.
  [[nodiscard]] std::string node(const std::string& name, int port) const;
  /// A pathmap of threads a and b, in processes p0 on node n1 and p1 on n2, each with a path "log".
  std::filesystem::path tiny(int port1 = free_port(), int port2 = free_port(), const std::string& more = "",
                             const std::string& collect_at = "thread") const;

  /// The running processes of this fixture with `argument`, such as "serve" or "tiny_app", on their command
  /// line.
  [[nodiscard]] std::vector<int> processes_with(const std::string& argument) const;

 private:
  std::filesystem::path directory_;
  std::unique_ptr<Sweeper> sweeper_;
  std::unique_ptr<Ground> ground_;
  int calls_{0};
};

}  // namespace eventspace::testing_commands
