#pragma once

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <fstream>
#include <list>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "tests/monitors/json_lines.h"
#include "tests/monitors/workplace.h"
#include "tests/tuplespace/variable.h"

namespace eventspace {

/// How often a function was called, and the bytes of all these calls.
struct Count {
  std::int64_t calls{0};
  std::int64_t bytes{0};
  friend bool operator==(const Count&, const Count&) = default;
};
inline void PrintTo(const Count& count, std::ostream* out) {
  *out << count.calls << " calls, " << count.bytes << " B";
}
using Counts = std::map<std::string, Count>;

/// Unmodified MPI programs of two processes under `eventspace run`, in session `job`, with the MPI of
/// MPI_NAME.
class MpiProgramTest : public testing_commands::Workplace {
 protected:
  using Call = testing_commands::Call;
  using Words = std::vector<std::string>;

  ~MpiProgramTest() override {
    while (!set_.empty()) set_.pop_back();  // in reverse, so each gets its original value
  }

  static Words mpirun(const std::string& word, const Words& before = {}, const char* app = MPI_APP) {
    Words words = before;
    words.emplace_back(MPIRUN);
    if (std::string(MPI_NAME) == "openmpi") words.emplace_back("--oversubscribe");
    for (const char* const one : {"-np", "2", app}) words.emplace_back(one);
    words.push_back(word);
    return words;
  }
  Call run(const Words& command, const Words& options = {}) {
    Words words{"run", "--session", "job"};
    words.insert(words.end(), options.begin(), options.end());
    words.emplace_back("--");
    words.insert(words.end(), command.begin(), command.end());
    return start(words);
  }
  /// Sets a variable until the end of the test.
  void set(const std::string& variable, const std::string& value) { set_.emplace_back(variable, value); }
  void wait_at_file() { set("GO_ON", file("go")); }
  void go_on() { write("go", ""); }

  std::string heartbeat() { return call({"heartbeat", "job", "--count", "1", "--stall", "100ms"}).out(); }
  /// Takes longer each time: on a busy machine the first call may return only a part of the events.
  std::vector<nlohmann::json> events() {
    looked_for_ +=
        looked_for_ < std::chrono::seconds(3) ? std::chrono::milliseconds(300) : std::chrono::milliseconds(0);
    return testing_commands::objects_in(call({"events", "job", "--format", "json", "--quiet", "--for",
                                              std::to_string(looked_for_.count()) + "ms"})
                                            .out());
  }
  /// Whether the shim counts bytes for the function: only for those that send.
  static bool sends(const std::string& function) {
    static const std::set<std::string> all{"MPI_Send",  "MPI_Ssend",     "MPI_Isend",  "MPI_Sendrecv",
                                           "MPI_Bcast", "MPI_Allreduce", "MPI_Reduce", "MPI_Scan"};
    return all.contains(function);
  }
  Counts recorded() {
    Counts counts;
    for (const auto& event : events()) {
      const std::string name = event["call"];
      if (name.starts_with("MPI_Init")) continue;
      Count& count = counts[name];
      ++count.calls;
      if (sends(name)) count.bytes += event["bytes"].get<std::int64_t>();
    }
    return counts;
  }
  /// The counts of the shim in all processes until they had ended, without MPI_Finalize.
  [[nodiscard]] Counts counted(int ranks = 2) const {
    Counts counts;
    for (int rank = 0; rank < ranks; ++rank) {
      std::ifstream in(file("counts." + std::to_string(rank)));
      std::string name;
      for (Count more; in >> name >> more.calls >> more.bytes;) {
        if (name == "MPI_Finalize") continue;
        counts[name].calls += more.calls;
        counts[name].bytes += more.bytes;
      }
    }
    return counts;
  }
  /// Runs a program whose last calls are `calls` calls of `last`, and compares.
  Counts expect_equal_counts(const Words& command, const std::string& last, std::int64_t calls,
                             const Words& options = {}) {
    set("COUNTS", file("counts"));
    wait_at_file();
    Call program = run(command, options);
    EXPECT_TRUE(program.says("ready")) << program.err();
    Counts found;
    // The other process may not have come so far.
    EXPECT_TRUE(testing_commands::eventually([&] { return (found = recorded())[last].calls == calls; }));
    go_on();
    EXPECT_EQ(program.status(), 0) << program.err();
    EXPECT_EQ(found, counted());
    return found;
  }

 private:
  std::chrono::milliseconds looked_for_{0};
  std::list<test::Variable> set_;
  test::Variable as_root_{"OMPI_ALLOW_RUN_AS_ROOT", "1"};
  test::Variable as_root_indeed_{"OMPI_ALLOW_RUN_AS_ROOT_CONFIRM", "1"};
  // Files of killed ranks are removed with the directory of the test.
  test::Variable memory_{"OMPI_MCA_btl_vader_backing_directory", file("").string()};
};

}  // namespace eventspace
