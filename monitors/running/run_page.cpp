#include "monitors/running/run_page.h"

#include <signal.h>
#include <sys/socket.h>

#include <array>
#include <cerrno>
#include <cstdlib>
#include <iostream>
#include <utility>

#include <eventspace/error.h>
#include "monitors/servers/find_program.h"
#include "monitors/servers/segment_list.h"
#include "tuplespace/trace/segment.h"

namespace eventspace {
namespace {

using namespace std::chrono_literals;

ChildProcess start_page(const std::vector<std::string>& words, bool is_recorded, FileHandle& channel) {
  std::array<int, 2> ends{};
  if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends.data()) != 0)
    throw EnvironmentError::from_errno("cannot make a socket", errno);
  channel = FileHandle(ends[0]);
  const FileHandle of_page(ends[1]);
  std::vector<std::string> command{own_program().string(), "web"};
  command.insert(command.end(), words.begin(), words.end());
  command.insert(command.end(), {"--beside-run", is_recorded ? "recorded" : "alone"});
  return ChildProcess::start({.command = std::move(command), .environment = {}, .channel = of_page.get()});
}

}  // namespace

RunPage::RunPage(const std::vector<std::string>& words, std::string session, bool is_recorded)
    : session_(std::move(session)), page_(start_page(words, is_recorded, channel_)) {
  if (::setenv(SegmentKeeping::variable, "1", 1) != 0)
    throw EnvironmentError::from_errno("cannot set a variable", errno);
  if (receive_message(channel_.get(), 60s) == PageMessage::listens) return;
  page_.wait_or_kill(0s);
  throw EnvironmentError("the page did not start, so the command was not started");
}

RunPage::~RunPage() {
  channel_ = FileHandle();
  page_.wait_or_kill(5s);
  remove_ended(session_, 0s);
}

void RunPage::note_end() {
  if (send_message(channel_.get(), PageMessage::ended)) (void)receive_message(channel_.get(), 10s);
}

void RunPage::stay() {
  std::cerr << "eventspace: the application has ended; its page stays until Ctrl-C\n";
  sigset_t signals;
  sigemptyset(&signals);
  for (const int signal : {SIGINT, SIGTERM, SIGHUP, SIGCHLD}) sigaddset(&signals, signal);
  while (!page_.poll()) {
    const int signal = ::sigwaitinfo(&signals, nullptr);
    if (signal > 0 && signal != SIGCHLD) return;
  }
}

}  // namespace eventspace
