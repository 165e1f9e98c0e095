#pragma once

#include <fcntl.h>
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cstdio>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "tests/paths/links/free_port.h"
#include "tests/scopes/streams/network_talk.h"

// Networks whose processes are processes of streams_process, to be killed and stopped.

namespace eventspace::streams::test {

/// A process of streams_process; killed by the destructor.
class Process {
 public:
  explicit Process(std::vector<std::string> words, int output = -1) {
    words.insert(words.begin(), "streams_process");
    std::vector<char*> arguments;
    for (std::string& word : words) arguments.push_back(word.data());
    arguments.push_back(nullptr);
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    if (output >= 0) posix_spawn_file_actions_adddup2(&actions, output, STDOUT_FILENO);
    EXPECT_EQ(::posix_spawn(&id_, STREAMS_PROCESS, &actions, nullptr, arguments.data(), environ), 0);
    posix_spawn_file_actions_destroy(&actions);
  }
  ~Process() { kill(); }
  Process(const Process&) = delete;
  Process& operator=(const Process&) = delete;

  void signal(int number) const { ::kill(id_, number); }
  void kill() {
    if (id_ <= 0) return;
    ::kill(id_, SIGKILL);
    ::waitpid(std::exchange(id_, 0), nullptr, 0);
  }
  /// Whether it ends by itself, with status 0.
  bool ends(Deadline deadline) {
    int status = 0;
    pid_t ended = 0;
    while ((ended = ::waitpid(id_, &status, WNOHANG)) == 0 && !deadline.passed()) ::usleep(1000);
    if (ended == id_) id_ = 0;
    return ended > 0 && WIFEXITED(status) && WEXITSTATUS(status) == 0;
  }

 private:
  pid_t id_{0};
};

/// A front-end as a process. It sends one packet to all its back-ends when they are attached. With `more` =
/// "waves" it then makes waves without end, checks each, and fails at the first wrong one.
class FrontEndProcess {
 public:
  explicit FrontEndProcess(const std::string& shape, const std::vector<std::string>& more = {})
      : output_(make_pipe()), process(words_for(shape, more), output_[1]) {
    ::close(output_[1]);
    text_ = ::fdopen(output_[0], "r");
    name = word();
    endpoint = word();
  }
  ~FrontEndProcess() { std::fclose(text_); }
  FrontEndProcess(const FrontEndProcess&) = delete;
  FrontEndProcess& operator=(const FrontEndProcess&) = delete;

  /// Waits until all back-ends are attached and have answered.
  void await_attached() { EXPECT_EQ(word(), "attached"); }
  /// Waits for the next wave; its number, or -1 when the process has ended.
  int await_wave() {
    int number = -1;
    return std::fscanf(text_, "%d", &number) == 1 ? number : -1;
  }

 private:
  static std::vector<std::string> words_for(const std::string& shape, const std::vector<std::string>& more) {
    std::vector<std::string> words{"front-end", shape};
    words.insert(words.end(), more.begin(), more.end());
    return words;
  }
  static std::array<int, 2> make_pipe() {
    std::array<int, 2> ends{};
    EXPECT_EQ(::pipe2(ends.data(), O_CLOEXEC), 0);
    return ends;
  }
  std::string word() {
    std::array<char, 256> read{};
    EXPECT_EQ(std::fscanf(text_, "%255s", read.data()), 1);
    return read.data();
  }

  std::array<int, 2> output_;
  FILE* text_{nullptr};

 public:
  Process process;
  std::string name;
  std::string endpoint;
};

/// A front-end in this process, and all other processes of its network as processes.
class Family {
 public:
  explicit Family(std::size_t back_ends, Adoption adoption = Adoption::ancestor)
      : front_end(Topology::flat(back_ends), {.adoption = adoption}) {
    endpoints["front-end"] = front_end.attach_point(0).endpoint;
  }

  void internal(const std::string& name, const std::string& parent, const std::string& places,
                const std::string& below) {
    endpoints[name] = fmt::format("tcp://127.0.0.1:{}", eventspace::test::free_port());
    processes[name] = std::make_unique<Process>(std::vector<std::string>{
        "internal", front_end.name(), endpoints.at(parent), endpoints[name], places, below});
  }
  void back_end(RankSet::Rank rank, const std::string& parent) {
    processes[std::to_string(rank)] = std::make_unique<Process>(
        std::vector<std::string>{"back-end", front_end.name(), endpoints.at(parent), std::to_string(rank)});
  }
  /// One wave, in which each end-point answers number + rank. Checks the sum, and that missing end-points are
  /// named. Returns the missing ones.
  RankSet wave(std::uint32_t stream) {
    const std::int64_t number = 1000 * next_;
    EXPECT_TRUE(front_end.send(stream, Number::make(0, number), Deadline::after(60s)));
    const auto packet = front_end.receive(stream, Deadline::after(60s));
    if (!packet) {
      ADD_FAILURE() << "wave " << next_ << " did not come";
      return RankSet::of_range(0, static_cast<RankSet::Rank>(front_end.topology().back_ends() - 1));
    }
    EXPECT_EQ(packet->wave, static_cast<std::uint64_t>(next_++));
    std::int64_t expected = 0;
    for (RankSet::Rank rank = 0; rank < front_end.topology().back_ends(); ++rank)
      expected += packet->ranks.contains(rank) ? 0 : number + rank;
    EXPECT_EQ(number_of(*packet), expected) << packet->ranks.to_text() << " missing";
    return packet->ranks;
  }
  /// Makes waves until one is complete; returns all end-points that were missing before.
  RankSet until_whole(std::uint32_t stream) {
    RankSet missing;
    for (const Deadline end = Deadline::after(60s); !end.passed();) {
      const RankSet now = wave(stream);
      if (now.empty()) return missing;
      missing = missing | now;
    }
    ADD_FAILURE() << "no wave is whole";
    return missing;
  }
  void await_all() {
    ASSERT_TRUE(front_end.wait_for(front_end.topology().back_ends(), Deadline::after(60s)));
  }

  FrontEnd front_end;
  std::map<std::string, std::string> endpoints;
  std::map<std::string, std::unique_ptr<Process>> processes;

 private:
  std::int64_t next_{0};
};

}  // namespace eventspace::streams::test
