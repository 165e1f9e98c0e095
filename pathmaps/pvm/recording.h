#pragma once

#include <cstdint>
#include <span>

#include "collectors/pvm/pvm_record.h"

namespace eventspace {
class PvmRecorder;
}

namespace eventspace::pvm {

/// The record of one PVM call by the calling thread, or of an inner call of a PVM function, from before its
/// begin until after its end. Nothing is recorded inside functions of class `manage`: their messages with
/// daemons and the group server are not communication of the program.
///
/// The process joins the session of its environment when it has become a task. The call that makes it a task
/// may wait for others, and is recorded after it has ended.
///
/// Used only by wrappers, in the order of the functions below, which do not throw, change errno, or
/// communicate.
class Recording {
 public:
  /// `from`: the return address of the call.
  Recording(std::uint16_t call, PvmClass of, const void* from) noexcept;
  ~Recording();  ///< ends a call that an exception or the end of the thread has left
  Recording(const Recording&) = delete;
  Recording& operator=(const Recording&) = delete;
  /// Whether a record is made. If not, the other functions must not be called.
  explicit operator bool() const noexcept { return is_followed_; }

  /// The known facts of the call.
  [[nodiscard]] PvmCallRecord& call() noexcept { return call_; }
  void partner(int task) noexcept;
  void tag(int tag) noexcept;
  void group(const char* name) noexcept;
  /// The destinations of a multicast; must be valid until it has ended.
  void destinations(const int* tasks, int count) noexcept;
  /// Notes the message to be sent.
  void sends() noexcept;
  void begin() noexcept;

  /// Notes that the call has returned. Call before anything else.
  void has_returned() noexcept;
  /// Notes the message in the buffer, which the call has received.
  void received(int buffer) noexcept;
  /// Notes the last message that an inner call has received.
  void received_inside() noexcept;
  void end(long result) noexcept;

 private:
  void take(std::uint32_t source, std::uint32_t tag, std::uint32_t bytes) noexcept;
  void add_late() noexcept;

  PvmCallRecord call_;
  std::span<const int> destinations_{};
  PvmRecorder* recorder_{nullptr};
  std::uint64_t start_{0};  // of a call before the process has joined
  bool is_followed_{false};
  bool is_open_{false};  // the call is open in the recorder
  bool is_executing_{false};
};

/// Whether the calling thread executes a PVM function whose system calls are recorded.
bool is_inside_pvm() noexcept;

}  // namespace eventspace::pvm
