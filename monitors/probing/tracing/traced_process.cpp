#include "monitors/probing/tracing/traced_process.h"

#include <elf.h>
#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cstring>
#include <filesystem>
#include <fstream>

#include "tuplespace/processes/process_stat.h"
#include "tuplespace/system/error.h"

namespace eventspace {
namespace {

std::vector<std::int32_t> tids_of(std::int32_t pid) {
  std::vector<std::int32_t> tids;
  std::error_code error;
  for (const auto& entry : std::filesystem::directory_iterator(fmt::format("/proc/{}/task", pid), error)) {
    const std::string name = entry.path().filename();
    std::int32_t tid = 0;
    std::from_chars(name.data(), name.data() + name.size(), tid);
    tids.push_back(tid);
  }
  return tids;
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
  // A thread that still runs may start another one: until a round has found no new one.
  while (stop_new_ones(pid)) {
  }
  if (threads_.empty()) throw EnvironmentError(fmt::format("process {} has ended", pid));
}

bool StoppedProcess::stop_new_ones(std::int32_t pid) {
  bool has_new = false;
  for (const std::int32_t tid : tids_of(pid)) {
    const auto is_it = [tid](const auto& thread) { return thread->tid() == tid; };
    if (std::ranges::any_of(threads_, is_it)) continue;
    std::unique_ptr<TracedThread> thread;
    try {
      thread = std::make_unique<TracedThread>(pid, tid);
    } catch (const EnvironmentError&) {
      // A thread other than the first may end at any time.
      if (tid != pid && !std::filesystem::exists(fmt::format("/proc/{}/task/{}", pid, tid))) continue;
      throw;
    }
    TracedThread::Stop stop = thread->stop(patience);
    if (stop == TracedThread::Stop::late) stop = wait_for_turn(*thread, pid);
    if (stop == TracedThread::Stop::ended) continue;
    threads_.push_back(std::move(thread));
    has_new = true;
  }
  return has_new;
}

// A thread that waits for a processor only comes to its stop later. The others go on meanwhile; they are
// stopped again once it stands still.
TracedThread::Stop StoppedProcess::wait_for_turn(TracedThread& late, std::int32_t pid) {
  const auto state = read_process_stat(pid, late.tid()).value_or(ProcessStat{'X', 0, 0, {}}).state;
  if (state == 'D')
    throw EnvironmentError(
        fmt::format("thread {} of process {} does not stand still; the kernel works for it and cannot be "
                    "interrupted (state D)",
                    late.tid(), pid));
  threads_.clear();
  const TracedThread::Stop stop = late.stop(patience_for_turn);
  if (stop == TracedThread::Stop::late)
    throw EnvironmentError(
        fmt::format("thread {} of process {} does not stand still: it has had no processor for {} s",
                    late.tid(), pid, patience_for_turn.count()));
  return stop;
}

bool StoppedProcess::is_in(const std::vector<AddressRange>& ranges, const ProcessMemory& memory,
                           const std::vector<MappedRange>& mapped) const {
  constexpr std::uint64_t most_stack = std::uint64_t{8} << 20;
  for (const auto& thread : threads_) {
    const ::user_regs_struct registers = thread->registers();
    const auto has_address = [&](const AddressRange& range) { return range.contains(registers.rip); };
    if (std::ranges::any_of(ranges, has_address)) return true;
    const auto stack = std::ranges::find_if(mapped, [&](const MappedRange& range) {
      return registers.rsp >= range.begin && registers.rsp < range.end;
    });
    if (stack == mapped.end()) return true;  // not known: the caller tries again with newer mappings
    const std::uint64_t from = registers.rsp & ~std::uint64_t{7};
    std::vector<std::byte> words(std::min(stack->end - from, most_stack));
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
  if (pid == owner) refuse("it is the one that asks for them");
  std::ifstream program(fmt::format("/proc/{}/exe", pid), std::ios::binary);
  std::array<char, EI_NIDENT> head{};
  program.read(head.data(), head.size());
  if (program && head[EI_CLASS] != ELFCLASS64) refuse("it is a program of 32 bits; x86-64 is needed");
  std::ifstream status(fmt::format("/proc/{}/status", pid));
  for (std::string line; std::getline(status, line);) {
    if (line.starts_with("Seccomp:") && line.back() != '0')
      refuse("it filters its calls of the system (seccomp), and those that probes need might end it");
  }
}

}  // namespace eventspace
