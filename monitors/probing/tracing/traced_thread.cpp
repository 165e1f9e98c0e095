#include "monitors/probing/tracing/traced_thread.h"

#include <fmt/format.h>
#include <sched.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <optional>
#include <thread>
#include <utility>

#include <eventspace/error.h>
#include "tuplespace/parsing/number_in.h"
#include "tuplespace/system/file_beginning.h"

namespace eventspace {
namespace {

using std::chrono::nanoseconds;
using std::chrono::steady_clock;

constexpr int at_call = SIGTRAP | 0x80;  // the stop before and after a system call (PTRACE_O_TRACESYSGOOD)

constexpr int event_of(int status) noexcept { return status >> 16; }

/// The text after "NAME:" in a text like /proc/PID/status; nullopt if that line is missing.
std::optional<std::string_view> value_in(std::string_view text, std::string_view name) {
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    std::string_view line = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    if (!line.starts_with(name) || !line.substr(name.size()).starts_with(':')) continue;
    line.remove_prefix(name.size() + 1);
    line.remove_prefix(std::min(line.find_first_not_of(" \t"), line.size()));
    return line;
  }
  return std::nullopt;
}

std::uint64_t number_at(std::string_view text, std::string_view name, int base) {
  return leading_number<std::uint64_t>(value_in(text, name).value_or(""), base);
}

::user_regs_struct registers_of_call(const ::user_regs_struct& before, std::uint64_t instruction,
                                     std::int64_t number, const std::array<std::uint64_t, 6>& arguments) {
  ::user_regs_struct calling = before;
  calling.rip = instruction;
  calling.rax = static_cast<std::uint64_t>(number);
  calling.orig_rax = UINT64_MAX;  // otherwise the kernel would restart the interrupted call here
  calling.rdi = arguments[0];
  calling.rsi = arguments[1];
  calling.rdx = arguments[2];
  calling.r10 = arguments[3];
  calling.r8 = arguments[4];
  calling.r9 = arguments[5];
  return calling;
}

std::string status_text(std::int32_t pid, std::int32_t tid) {
  return beginning_of_file(fmt::format("/proc/{}/task/{}/status", pid, tid));
}

/// Whether the thread was in a system call that ends with EINTR.
bool is_interrupted_call(const ::user_regs_struct& registers) noexcept {
  return static_cast<std::int64_t>(registers.orig_rax) >= 0 &&
         static_cast<std::int64_t>(registers.rax) == -EINTR;
}

/// Whether the kernel would restart the system call that was interrupted. The numbers are ERESTARTSYS and the
/// like, which are internal to the kernel.
bool is_started_again_by_kernel(const ::user_regs_struct& registers) noexcept {
  const auto result = static_cast<std::int64_t>(registers.rax);
  const bool is_in_call = static_cast<std::int64_t>(registers.orig_rax) >= 0;
  return is_in_call && (result == -512 || result == -513 || result == -514 || result == -516);
}

// Waits before the next poll. The first polls follow each other at once, since most threads stop within
// microseconds; later ones sleep.
void pause_after(int looks) {
  if (looks < 20) {
    ::sched_yield();
  } else {
    // Leaves this processor to the thread, which may need it to stop.
    std::this_thread::sleep_for(std::chrono::microseconds(looks < 1000 ? 10 : 50));
  }
}

}  // namespace

std::string why_not_traced(std::int32_t pid, std::int32_t tid, int error_number) {
  const std::string status = status_text(pid, tid);
  if (status.empty() || error_number == ESRCH) return "it has ended";
  if (value_in(status, "State").value_or("").starts_with('Z')) return "it has ended (it is a zombie)";
  if (error_number != EPERM) return EnvironmentError::from_errno("it cannot be traced", error_number).what();
  return why_not_allowed(status, ::geteuid(), beginning_of_file("/proc/sys/kernel/yama/ptrace_scope"));
}

std::string why_not_allowed(std::string_view status, ::uid_t asking, std::string_view yama) {
  if (const auto tracer = number_at(status, "TracerPid", 10); tracer != 0)
    return fmt::format("process {} already traces it: a debugger, strace or another eventspace", tracer);
  if (number_at(status, "Uid", 10) != asking && asking != 0)
    return "it belongs to another user; run as its user or as root";
  if (!yama.empty() && yama[0] != '0')
    return fmt::format(
        "this machine forbids it (kernel.yama.ptrace_scope is {}); run as root, or set it to 0", yama[0]);
  return "it is forbidden: by the process itself (prctl PR_SET_DUMPABLE), by a container without "
         "CAP_SYS_PTRACE, or by a security module";
}

bool is_interrupted_by_stop(const ::user_regs_struct& registers, std::string_view status) {
  if (!is_interrupted_call(registers)) return false;
  const std::uint64_t pending = number_at(status, "SigPnd", 16) | number_at(status, "ShdPnd", 16);
  return (pending & ~number_at(status, "SigBlk", 16)) == 0;
}

TracedThread::TracedThread(std::int32_t pid, std::int32_t tid) : pid_(pid), tid_(tid) {
  if (::ptrace(PTRACE_SEIZE, tid, nullptr, std::uintptr_t{PTRACE_O_TRACESYSGOOD}) != 0)
    throw EnvironmentError(fmt::format("thread {} of process {} cannot be inspected: {}", tid, pid,
                                       why_not_traced(pid, tid, errno)));
}

TracedThread::~TracedThread() { release(); }

TracedThread::Stop TracedThread::stop(nanoseconds patience) {
  return order_to_stop() ? wait(patience) : Stop::ended;
}

bool TracedThread::order_to_stop() {
  ordered_ = steady_clock::now();
  return ::ptrace(PTRACE_INTERRUPT, tid_, nullptr, nullptr) == 0;
}

TracedThread::Stop TracedThread::wait(nanoseconds patience) {
  const auto begun = steady_clock::now();
  for (int looks = 0;; ++looks) {
    int status = 0;
    const ::pid_t seen = ::waitpid(tid_, &status, __WALL | WNOHANG);
    if (seen == tid_) return note(status);
    if (seen < 0 && errno != EINTR) return Stop::ended;
    if (steady_clock::now() - begun > patience) return Stop::late;
    pause_after(looks);
  }
}

TracedThread::Stop TracedThread::note(int status) {
  if (!WIFSTOPPED(status)) return Stop::ended;
  is_stopped_ = true;
  // A stop of the whole process by a signal (SIGSTOP) has the same event, with that signal.
  const bool is_event = event_of(status) == PTRACE_EVENT_STOP;
  is_by_interrupt_ = is_event && WSTOPSIG(status) == SIGTRAP;
  is_at_call_ = WSTOPSIG(status) == at_call;
  if (!is_event && !is_at_call_) signal_ = WSTOPSIG(status);
  return Stop::stopped;
}

::user_regs_struct TracedThread::registers() const {
  if (calls_) return calls_->before;
  ::user_regs_struct registers{};
  if (::ptrace(PTRACE_GETREGS, tid_, nullptr, &registers) != 0)
    throw EnvironmentError::from_errno(fmt::format("thread {} of process {} has ended", tid_, pid_), errno);
  return registers;
}

void TracedThread::set_registers(const ::user_regs_struct& registers) const {
  if (::ptrace(PTRACE_SETREGS, tid_, nullptr, &registers) != 0)
    throw EnvironmentError::from_errno(fmt::format("thread {} of process {} has ended", tid_, pid_), errno);
}

bool TracedThread::resume(__ptrace_request how) {
  if (::ptrace(how, tid_, nullptr, nullptr) != 0) return false;
  is_stopped_ = false;
  return true;
}

// A thread of a process that a signal has stopped has a further stop before it runs, so other stops are
// skipped, up to a limit.
void TracedThread::run_to_call(nanoseconds patience) {
  constexpr int max_other_stops = 16;
  for (int i = 0; i < max_other_stops; ++i) {
    if (!resume(PTRACE_SYSCALL) || wait(patience) != Stop::stopped) break;
    if (is_at_call_) return;
  }
  throw EnvironmentError(
      fmt::format("thread {} of process {} has ended, or did not make the system call", tid_, pid_));
}

void TracedThread::begin_calls(const CallSite& site) {
  const ::user_regs_struct before = registers();
  std::uint64_t signals = 0;
  (void)::ptrace(PTRACE_GETSIGMASK, tid_, sizeof signals, &signals);
  // NOLINTNEXTLINE(modernize-make-unique): an aggregate
  calls_.reset(new Calls{
      before, signals, is_by_interrupt_, {tid_, site.restorer, registers_without_tool(before), signals}});
  has_called_ = true;
}

std::int64_t TracedThread::call(const CallSite& site, std::int64_t number,
                                const std::array<std::uint64_t, 6>& arguments, nanoseconds patience) {
  const bool is_first = calls_ == nullptr;
  if (is_first) begin_calls(site);
  ::user_regs_struct calling = registers_of_call(calls_->before, site.instruction, number, arguments);
  if (calls_->frame.address() != 0) calling.rsp = calls_->frame.address();
  // From here until its registers are restored, the thread resumes through the frame if this process is
  // killed. So the signal mask is changed after this, and restored before the registers.
  set_registers(calling);
  const std::uint64_t all_signals = UINT64_MAX;
  if (is_first) (void)::ptrace(PTRACE_SETSIGMASK, tid_, sizeof all_signals, &all_signals);
  run_to_call(patience);  // before the call
  run_to_call(patience);  // after it
  ::user_regs_struct behind{};
  if (::ptrace(PTRACE_GETREGS, tid_, nullptr, &behind) != 0)
    throw EnvironmentError::from_errno(fmt::format("thread {} of process {} has ended", tid_, pid_), errno);
  return static_cast<std::int64_t>(behind.rax);
}

void TracedThread::end_calls() {
  if (!calls_) return;
  // The kernel checks whether it has to restart an interrupted call only when a thread resumes from a stop
  // like the first one. So the thread is brought to such a stop.
  const bool was_in_call = static_cast<std::int64_t>(calls_->before.orig_rax) >= 0;
  if (was_in_call) {
    const bool runs = ::ptrace(PTRACE_INTERRUPT, tid_, nullptr, nullptr) == 0 && resume(PTRACE_CONT);
    if (!runs || wait(patience_for_call) != Stop::stopped)
      throw EnvironmentError(fmt::format("thread {} of process {} has ended", tid_, pid_));
  }
  (void)::ptrace(PTRACE_SETSIGMASK, tid_, sizeof calls_->signals, &calls_->signals);
  set_registers(calls_->before);
  is_by_interrupt_ = calls_->is_by_interrupt;
  calls_.reset();
}

std::optional<::user_regs_struct> TracedThread::registers_for_call_again(
    const ::user_regs_struct& registers) const {
  constexpr std::uint64_t syscall_bytes = 2;
  errno = 0;
  const long code = ::ptrace(PTRACE_PEEKTEXT, tid_, registers.rip - syscall_bytes, nullptr);
  constexpr long syscall_code = 0x050f;  // the instruction `syscall`, read as a number
  if (errno != 0 || (code & 0xffff) != syscall_code) return std::nullopt;
  ::user_regs_struct again = registers;
  again.rip -= syscall_bytes;
  again.rax = registers.orig_rax;
  again.orig_rax = UINT64_MAX;  // no system call is in progress
  return again;
}

::user_regs_struct TracedThread::registers_without_tool(const ::user_regs_struct& registers) const {
  const bool is_interrupted = is_by_interrupt_ && static_cast<std::int64_t>(registers.rax) == -EINTR &&
                              is_interrupted_by_stop(registers, status_text(pid_, tid_));
  if (!is_interrupted && !is_started_again_by_kernel(registers)) return registers;
  return registers_for_call_again(registers).value_or(registers);
}

void TracedThread::set_call_up_again() const noexcept try {
  const ::user_regs_struct registers = this->registers();
  // Reading the status takes longer than everything else that is done while the thread is stopped.
  if (!is_interrupted_call(registers) || !is_interrupted_by_stop(registers, status_text(pid_, tid_))) return;
  if (const auto again = registers_for_call_again(registers)) set_registers(*again);
} catch (const EnvironmentError&) {
  // It was killed, so the call cannot be restarted.
}

// The thread must not be touched unless waitpid() has reported a stop: a thread that is late may stop, run on
// and return through its frame between two requests, so that a later request would find it in its own code.
void TracedThread::prepare_release() noexcept {
  if (calls_ && !is_stopped_) (void)wait({});  // it may have stopped since it was late
  try {
    if (is_stopped_) end_calls();
  } catch (const EnvironmentError&) {
    // It was killed, or it is late in a call, as below.
  }
  if (calls_) {
    calls_->frame.leave();  // the thread returns through it
    calls_.reset();
  }
  if (is_stopped_ && is_by_interrupt_) set_call_up_again();
}

void TracedThread::let_go() noexcept {
  // The stop at which the kernel would deliver the signal is over, so it is sent again.
  if (has_called_ && signal_ != 0) (void)::syscall(SYS_tgkill, pid_, tid_, std::exchange(signal_, 0));
  if (!is_stopped_) return;
  // Taken before the thread is released: afterwards this process may have had no processor for long.
  stopped_for_ = steady_clock::now() - ordered_;
  (void)::ptrace(PTRACE_DETACH, tid_, nullptr, static_cast<std::uintptr_t>(signal_));
  is_stopped_ = false;
}

void TracedThread::release() noexcept {
  prepare_release();
  let_go();
}

}  // namespace eventspace
