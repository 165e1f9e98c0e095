#include "pathmaps/pvm/recording.h"

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "collectors/clock.h"
#include "pathmaps/preloading/call_sites.h"
#include "pathmaps/pvm/pvm_process.h"
#include "pathmaps/pvm/real_pvm.h"
#include "paths/views/view.h"

namespace eventspace::pvm {
namespace {

struct Message {
  std::uint32_t source, tag, bytes;
};
// Counters of the calling thread: its nested PVM calls, the calls of class `manage` among them, and the calls
// inside PVM's code. Without destructors, so that they can be read at any time.
// NOLINTBEGIN(misc-use-internal-linkage)
constinit thread_local int depth = 0;
constinit thread_local int managing = 0;
constinit thread_local int executing = 0;
constinit thread_local Message last_received{};
// NOLINTEND(misc-use-internal-linkage)

constinit preloading::CallSites sites;  // NOLINT(misc-use-internal-linkage)

constexpr std::uint32_t natural(int number) noexcept {
  return number < 0 ? PvmCallRecord::none : static_cast<std::uint32_t>(number);
}

std::uint32_t bytes_of(long bytes) noexcept {
  return static_cast<std::uint32_t>(std::clamp<long>(bytes, 0, 0xffff'ffff));
}

// PVM's numbers in buffers: XDR, data left in place, otherwise the machine's encoding.
PvmEncoding encoding_of(int number) noexcept {
  constexpr int portable = 0x10000000;
  constexpr int in_place = 0x20000000;
  if (number == portable) return PvmEncoding::portable;
  return number == in_place ? PvmEncoding::in_place : PvmEncoding::raw;
}

/// The program must not see changes of errno.
class ErrnoKept {
 public:
  ErrnoKept() noexcept : before_(errno) {}
  ~ErrnoKept() { errno = before_; }
  ErrnoKept(const ErrnoKept&) = delete;
  ErrnoKept& operator=(const ErrnoKept&) = delete;

 private:
  int before_;
};

// The number of a group's name is its probe number, the same in all processes.
std::uint32_t number_of_group(const char* name) noexcept {
  constexpr std::size_t longest = 255;
  try {
    const auto host = probe_host();
    return host == nullptr ? 0 : host->number_of({name, ::strnlen(name, longest)}, {});
  } catch (...) {  // no memory: the group stays unknown
    return 0;
  }
}

}  // namespace

bool is_inside_pvm() noexcept { return executing > 0 && managing == 0; }

Recording::Recording(std::uint16_t call, PvmClass of, const void* from) noexcept {
  const bool is_outermost = depth++ == 0;
  call_.call = call;
  call_.of = of;
  if (managing > 0 || is_program_of_pvm()) return;
  const ErrnoKept kept;
  if (preloading::has_joined()) {
    recorder_ = PvmThread::recorder();
    is_followed_ = recorder_ != nullptr;
    if (is_followed_ && is_outermost) call_.site = sites.number_of(from);
  } else if (is_outermost && !preloading::has_tried_to_join()) {
    start_ = Clock::instance().now();
    is_followed_ = true;
  }
  if (!is_outermost) call_.add(PvmMarks::nested);
}

Recording::~Recording() {
  if (is_executing_) has_returned();
  if (is_open_) recorder_->end(call_);
  --depth;
}

void Recording::partner(int task) noexcept {
  if (task == -1 && call_.of != PvmClass::group) call_.add(PvmMarks::any_source);
  call_.partner = static_cast<std::uint32_t>(task);  // -1 means none; daemons have negative ids
}

void Recording::tag(int tag) noexcept {
  if (tag == -1) call_.add(PvmMarks::any_tag);
  call_.tag = natural(tag);
}

void Recording::group(const char* name) noexcept {
  const ErrnoKept kept;
  if (name != nullptr && recorder_ != nullptr) call_.group = number_of_group(name);
}

void Recording::destinations(const int* tasks, int count) noexcept {
  if (tasks == nullptr || count <= 0) return;
  destinations_ = {tasks, static_cast<std::size_t>(count)};
  call_.tasks = static_cast<std::uint32_t>(count);
}

void Recording::sends() noexcept {
  pvmminfo message{};
  if (!message_to_send(message)) return;
  call_.bytes = bytes_of(message.len);
  call_.encoding = encoding_of(message.enc);
}

void Recording::begin() noexcept {
  if (const int task = real_pvm().task()) call_.task = static_cast<std::uint32_t>(task);
  if (recorder_ != nullptr) is_open_ = recorder_->begin(call_);
  is_executing_ = true;
  ++executing;
  if (call_.of == PvmClass::manage) ++managing;
}

void Recording::has_returned() noexcept {
  is_executing_ = false;
  --executing;
  if (call_.of == PvmClass::manage) --managing;
}

void Recording::take(std::uint32_t source, std::uint32_t tag, std::uint32_t bytes) noexcept {
  call_.partner = source;
  call_.tag = tag;
  call_.bytes = bytes;
  call_.add(PvmMarks::found);
}

void Recording::received(int buffer) noexcept {
  pvmminfo message{};
  if (!message_in(buffer, message)) return;
  last_received = {static_cast<std::uint32_t>(message.src), natural(message.tag), bytes_of(message.len)};
  take(last_received.source, last_received.tag, last_received.bytes);
  call_.encoding = encoding_of(message.enc);
}

void Recording::received_inside() noexcept {
  take(last_received.source, last_received.tag, last_received.bytes);
}

void Recording::end(long result) noexcept {
  const ErrnoKept kept;
  if (result < 0) call_.error = static_cast<std::uint8_t>(std::min<long>(-result, 255));
  // pvm_exit() ends the task, pvm_mytid() makes it.
  if (const int task = real_pvm().task()) call_.task = static_cast<std::uint32_t>(task);
  if (is_open_) {
    is_open_ = false;
    recorder_->end(call_, destinations_);
  } else if (start_ != 0 && call_.task != PvmCallRecord::no_task) {
    add_late();
  }
}

void Recording::add_late() noexcept {
  preloading::join();
  if (!preloading::has_joined()) return;
  if (PvmRecorder* const recorder = PvmThread::recorder()) recorder->add(start_, call_, destinations_);
}

}  // namespace eventspace::pvm
