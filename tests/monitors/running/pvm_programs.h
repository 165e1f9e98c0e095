#pragma once

#include <gmock/gmock.h>
#include <signal.h>

#include <algorithm>
#include <filesystem>
#include <optional>
#include <regex>
#include <set>
#include <string>
#include <vector>

#include "tests/monitors/whatif/recording/asked_recording.h"
#include "tests/tuplespace/variable.h"

namespace eventspace::test {

/// Unmodified programs of PVM (pvm_app.c, built as PVM_APP) under `eventspace run`, in session "job", on a
/// separate virtual machine of the test, whose files are in its directory: others of this user are not
/// affected.
class PvmProgramTest : public AskedRecording {
 protected:
  void SetUp() override {
    // The search path of daemons for programs: the group server is in the first of these directories.
    std::string lines =
        "* ep=" PVM_DIRECTORY ":" + file("programs").string() + " dx=" PVM_DIRECTORY "/pvmd\n";
    const Words all = hosts();
    for (const std::string& host : all) lines += host + "\n";
    daemon_.emplace(start({"run", "--mpi", "none", "--session", "daemon", "--", PVM_DIRECTORY "/pvmd",
                           "-n" + all.front(), write("hosts", lines).string()},
                          outside()));
    ASSERT_TRUE(daemon_->says(file("").string()))
        << "the daemon says where its socket is: " << daemon_->err();
  }
  void TearDown() override {
    if (!daemon_) return;
    daemon_->signal(SIGTERM);  // ends its tasks, and removes its files
    (void)daemon_->status();
  }

  /// The addresses of the hosts of the virtual machine. The first one has the daemon that starts the others,
  /// and is the one to which outside() leads.
  [[nodiscard]] virtual Words hosts() const { return {"127.0.0.1"}; }
  /// The words before `eventspace` and the daemon.
  [[nodiscard]] virtual Words outside() const { return {}; }

  Call run(const Words& pattern, const Words& options = {}, const Words& before = {}) {
    Words words{"run", "--session", "job"};
    const auto add = [&words](const Words& more) { words.insert(words.end(), more.begin(), more.end()); };
    add(options);
    words.emplace_back("--");
    add(before);
    words.emplace_back(PVM_APP);
    add(pattern);
    return start(words, outside());
  }
  /// Tasks stay until go_on().
  using AskedRecording::go_file;
  [[nodiscard]] std::string go_file() const { return file("go").string(); }
  void go_on() const { write("go", ""); }

  std::vector<nlohmann::json> events() {
    return testing_commands::objects_in(
        call({"events", "job", "--format", "json", "--quiet", "--for", "1s"}).out());
  }
  /// Runs a pattern, and returns its events once `done` events of this call have arrived.
  std::vector<nlohmann::json> events_of(const Words& pattern, const std::string& last, std::ptrdiff_t done) {
    const Variable go("GO_ON", go_file());
    Call program = run(pattern);
    EXPECT_TRUE(program.says("ready")) << program.err();
    std::vector<nlohmann::json> seen;
    EXPECT_TRUE(testing_commands::eventually([&] {
      seen = events();
      return count(seen, last) >= done;
    })) << count(seen, last)
        << " of " << last;
    go_on();
    EXPECT_EQ(program.status(), 0) << program.err();
    EXPECT_EQ(program.err(), "");
    return seen;
  }
  static std::ptrdiff_t count(const std::vector<nlohmann::json>& events, const std::string& call) {
    return std::ranges::count_if(events, [&call](const auto& event) { return event["call"] == call; });
  }
  static std::int64_t bytes(const std::vector<nlohmann::json>& events, const std::string& call) {
    std::int64_t sum = 0;
    for (const auto& event : events)
      if (event["call"] == call) sum += event["bytes"].get<std::int64_t>();
    return sum;
  }

  /// Runs a pattern, and records it to `recording`. Returns how many seconds it took; less than 0 on failure.
  double record(const Words& pattern, const std::filesystem::path& recording) {
    const Variable go("GO_ON", go_file(recording).string());
    Call program = run(pattern);
    // The recorder has all kept events once it has the states of all tasks.
    const auto tasks = static_cast<std::size_t>(std::stoi(pattern[1]));
    return AskedRecording::record(
        program, recording, [tasks](const std::string& info) { return tasks_in(info).size() == tasks; });
  }

  /// Runs it without EventSpace. Returns how many seconds it took.
  double measure(const Words& pattern) {
    Call program = run(pattern, {"--mpi", "none"});
    EXPECT_EQ(program.status(), 0) << program.err();
    return seconds_in(program.out());
  }

 private:
  static std::set<std::string> tasks_in(const std::string& text) {
    static const std::regex task("pvm_app\\.t[0-9a-f]+");
    std::set<std::string> found;
    for (std::sregex_iterator i(text.begin(), text.end(), task), end; i != end; ++i) found.insert(i->str());
    return found;
  }

  Variable directory_{"PVM_TMP", file("").string()};
  Variable machine_{"PVM_VMID", "test"};
  Variable as_root_{"PVM_ALLOW_ROOT", "1"};
  Variable exported_{"PVM_EXPORT", "GO_ON"};
  std::optional<Call> daemon_;
};

}  // namespace eventspace::test
