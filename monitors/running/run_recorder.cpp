#include "monitors/running/run_recorder.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <signal.h>
#include <sys/file.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <cstdlib>
#include <thread>
#include <utility>

#include <eventspace/error.h>
#include "monitors/cli/command.h"
#include "monitors/servers/find_program.h"
#include "monitors/servers/segment_list.h"
#include "tuplespace/system/mapping.h"
#include "tuplespace/system/runtime_directory.h"
#include "tuplespace/trace/segment.h"

namespace eventspace {
namespace {

// A recorder locks its file.
bool is_being_written(const std::filesystem::path& file) {
  const FileHandle handle(::open(file.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
  return handle.valid() && ::flock(handle.get(), LOCK_SH | LOCK_NB) != 0 && errno == EWOULDBLOCK;
}

}  // namespace

RunRecorder::RunRecorder(const RunRecording& recording, std::vector<std::string> words, std::string session)
    : recording_(recording),
      session_(std::move(session)),
      file_(recording.file.empty() ? runtime_directory() / fmt::format("profiled-{}.evs", ::getpid())
                                   : recording.file) {
  if (::setenv(SegmentKeeping::variable, "1", 1) != 0)
    throw EnvironmentError::from_errno("cannot set a variable", errno);
  std::vector<std::string> command{own_program().string(), "record"};
  command.insert(command.end(), std::make_move_iterator(words.begin()), std::make_move_iterator(words.end()));
  command.insert(command.end(), {"--wait", "--beside-run", "-o", file_.string()});
  if (recording.budget) command.insert(command.end(), {"--budget", text_of_budget(*recording.budget)});
  if (recording.replaces || recording.file.empty()) command.emplace_back("--force");
  if (recording.file.empty()) command.emplace_back("--quiet");
  recorder_ = ChildProcess::start({.command = std::move(command), .environment = {}});
  await_begin();
}

void RunRecorder::await_begin() {
  using namespace std::chrono_literals;
  const auto limit = std::chrono::steady_clock::now() + 60s;
  while (!is_being_written(file_)) {
    const bool has_ended = recorder_->poll().has_value();
    if (has_ended || std::chrono::steady_clock::now() >= limit) {
      recorder_->wait_or_kill(5s);
      recorder_.reset();
      throw EnvironmentError("the recorder did not start, so the command was not started");
    }
    std::this_thread::sleep_for(2ms);
  }
}

RunRecorder::~RunRecorder() {
  if (!recorder_) return;
  recorder_->signal(SIGINT);
  recorder_->wait_or_kill(std::chrono::seconds(10));
}

int RunRecorder::finish() {
  recorder_->signal(SIGINT);
  const ExitState state = recorder_->wait_or_kill(std::chrono::minutes(1));
  // The recorder ends so if it stopped because the budget could not be kept.
  const bool is_over_budget = state.signal == 0 && state.status == exit_found_wrong;
  const bool is_readable = state.is_fine() || is_over_budget;
  recorder_.reset();
  remove_ended(session_, std::chrono::nanoseconds(0));
  if (recording_.profiles && is_readable)
    (void)ChildProcess::start(
        {.command = {own_program().string(), "profile", file_.string()}, .environment = {}})
        .wait();
  std::error_code ignored;
  if (recording_.file.empty()) std::filesystem::remove(file_, ignored);
  return is_over_budget ? exit_found_wrong : is_readable ? exit_fine : exit_unreachable;
}

}  // namespace eventspace
