#include "monitors/probing/tracing/traced_process.h"

#include <elf.h>
#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <thread>

#include <eventspace/error.h>
#include "monitors/probing/tracing/work_first.h"
#include "tuplespace/parsing/number_in.h"
#include "tuplespace/processes/process_stat.h"

namespace eventspace {
namespace {

std::vector<std::int32_t> tids_of(std::int32_t pid) {
  std::vector<std::int32_t> tids;
  std::error_code error;
  for (const auto& entry : std::filesystem::directory_iterator(fmt::format("/proc/{}/task", pid), error)) {
    tids.push_back(leading_number<std::int32_t>(entry.path().filename().string()));
  }
  return tids;
}

/// Null if the thread has ended, which any thread except the first may do at any time. A thread that is just
/// ending is refused as if it were forbidden, until it is gone.
std::unique_ptr<TracedThread> seize(std::int32_t pid, std::int32_t tid) {
  constexpr int max_tries = 50;
  for (int tries = 1;; ++tries) {
    try {
      return std::make_unique<TracedThread>(pid, tid);
    } catch (const EnvironmentError&) {
      const char state = read_process_stat(pid, tid).value_or(ProcessStat{'X', 0, 0, {}}).state;
      if (tid != pid && (state == 'X' || state == 'Z')) return nullptr;
      if (tid == pid || tries == max_tries) throw;
    }
    std::this_thread::sleep_for(std::chrono::microseconds(200));
  }
}

bool has_word_in(const std::vector<std::byte>& stack, const std::vector<AddressRange>& ranges) {
  for (std::size_t at = 0; at + sizeof(std::uint64_t) <= stack.size(); at += sizeof(std::uint64_t)) {
    std::uint64_t word = 0;
    std::memcpy(&word, stack.data() + at, sizeof word);
    if (std::ranges::any_of(ranges, [word](const AddressRange& range) { return range.contains(word); }))
      return true;
  }
  return false;
}

}  // namespace

StoppedProcess::StoppedProcess(std::int32_t pid) {
  constexpr std::chrono::minutes longest{1};
  constexpr std::chrono::milliseconds pause{1};
  const auto end = std::chrono::steady_clock::now() + longest;
  for (stop_all(pid); has_left_call(pid) && std::chrono::steady_clock::now() < end; stop_all(pid)) {
    (void)go_on();
    since_ = std::chrono::steady_clock::time_point::max();
    std::this_thread::sleep_for(pause);
  }
}

bool StoppedProcess::has_left_call(std::int32_t pid) const {
  const ProcessMemory memory(pid);
  return std::ranges::any_of(
      threads_, [&](const auto& thread) { return is_in_call_of_tool(memory, thread->registers()); });
}

void StoppedProcess::stop_all(std::int32_t pid) {
  // A thread that still runs may start another one, so this repeats until a round finds no new thread.
  while (stop_new_ones(pid)) {
  }
  if (threads_.empty()) throw EnvironmentError(fmt::format("process {} has ended", pid));
}

// A released thread may take the processor from this process, so all threads are prepared before the first is
// released.
std::chrono::nanoseconds StoppedProcess::go_on() noexcept {
  if (threads_.empty()) return {};
  for (const auto& thread : threads_) thread->prepare_release();
  std::chrono::steady_clock::time_point last;
  const KeptProcessor kept;
  for (const auto& thread : threads_) {
    last = std::chrono::steady_clock::now();
    thread->let_go();
  }
  threads_.clear();
  return last - since_;
}

StoppedProcess::Threads StoppedProcess::seize_new_ones(std::int32_t pid) const {
  Threads threads;
  for (const std::int32_t tid : tids_of(pid)) {
    const auto is_it = [tid](const auto& thread) { return thread->tid() == tid; };
    if (std::ranges::any_of(threads_, is_it)) continue;
    if (auto thread = seize(pid, tid)) threads.push_back(std::move(thread));
  }
  return threads;
}

void StoppedProcess::order_all(Threads& running) {
  const KeptProcessor kept;  // the first threads are already stopped
  since_ = std::min(since_, std::chrono::steady_clock::now());
  std::erase_if(running, [](const auto& thread) { return !thread->order_to_stop(); });
}

// All threads are ordered to stop before this waits for any of them. With more threads than processors, a
// thread stops when it gets a processor, which it gets at once if the others have stopped as well. One after
// the other, the first threads would be stopped for as many time slices as there are threads.
bool StoppedProcess::stop_new_ones(std::int32_t pid) {
  Threads running = seize_new_ones(pid);
  const bool has_new = !running.empty();
  order_all(running);
  const auto end = std::chrono::steady_clock::now() + patience;
  Threads late;
  for (auto& thread : running) {
    const auto left = std::max<std::chrono::nanoseconds>(end - std::chrono::steady_clock::now(), {});
    const TracedThread::Stop stop = thread->wait_for_stop(left);
    if (stop == TracedThread::Stop::stopped) threads_.push_back(std::move(thread));
    if (stop == TracedThread::Stop::late) late.push_back(std::move(thread));
  }
  if (!late.empty()) wait_for_turn(late, pid);
  return has_new;
}

// Threads that wait for a processor stop only later. The others are resumed until then, and stopped again in
// the next round.
void StoppedProcess::wait_for_turn(Threads& late, std::int32_t pid) {
  for (const auto& thread : late)
    if (read_process_stat(pid, thread->tid()).value_or(ProcessStat{'X', 0, 0, {}}).state == 'D')
      throw EnvironmentError(
          fmt::format("thread {} of process {} did not stop: it is in uninterruptible sleep (state D)",
                      thread->tid(), pid));
  threads_.clear();
  since_ = std::chrono::steady_clock::time_point::max();
  for (auto& thread : late) {
    const TracedThread::Stop stop = thread->wait_for_stop(patience_for_turn);
    if (stop == TracedThread::Stop::late)
      throw EnvironmentError(fmt::format("thread {} of process {} did not stop: it got no processor for {} s",
                                         thread->tid(), pid, patience_for_turn.count()));
    since_ = std::min(since_, std::chrono::steady_clock::now());
    if (stop == TracedThread::Stop::stopped) threads_.push_back(std::move(thread));
  }
}

bool StoppedProcess::is_in(const std::vector<AddressRange>& ranges, const ProcessMemory& memory,
                           const std::vector<MappedRange>& mapped) const {
  constexpr std::uint64_t max_stack = std::uint64_t{8} << 20;
  for (const auto& thread : threads_) {
    const ::user_regs_struct registers = thread->registers();
    const auto has_address = [&](const AddressRange& range) { return range.contains(registers.rip); };
    if (std::ranges::any_of(ranges, has_address)) return true;
    const auto stack = std::ranges::find_if(mapped, [&](const MappedRange& range) {
      return registers.rsp >= range.begin && registers.rsp < range.end;
    });
    if (stack == mapped.end()) return true;  // unknown stack: the caller retries with newer mappings
    const std::uint64_t from = registers.rsp & ~std::uint64_t{7};
    std::vector<std::byte> words(std::min(stack->end - from, max_stack));
    words.resize(memory.read_some(from, words));
    if (has_word_in(words, ranges)) return true;
  }
  return false;
}

bool StoppedProcess::has_thread_data() const {
  return std::ranges::all_of(threads_, [](const auto& thread) { return thread->registers().fs_base != 0; });
}

void require_patchable(std::int32_t pid, std::int32_t owner) {
  const auto refuse = [pid](std::string_view why) {
    throw EnvironmentError(fmt::format("process {} cannot have probes: {}", pid, why));
  };
  if (pid == owner) refuse("it is the process that puts them in");
  std::ifstream program(fmt::format("/proc/{}/exe", pid), std::ios::binary);
  std::array<char, EI_NIDENT> head{};
  program.read(head.data(), head.size());
  if (program && head[EI_CLASS] != ELFCLASS64) refuse("it is a 32-bit program; x86-64 is needed");
  std::ifstream status(fmt::format("/proc/{}/status", pid));
  for (std::string line; std::getline(status, line);) {
    if (line.starts_with("Seccomp:") && line.back() != '0')
      refuse("it filters its system calls (seccomp), and those that probes need might end it");
  }
}

}  // namespace eventspace
