#pragma once

// Private to pathmaps/.

#include <cstdint>
#include <span>

#include "collectors/pvm/pvm_record.h"

namespace eventspace {
class PvmRecorder;
}

namespace eventspace::pvm {

/// The record of one call of PVM by the calling thread, or of a call that a function of PVM makes, from
/// before it begins to after it has ended. Inside functions of class `manage` nothing is recorded: what they
/// exchange with daemons and the server of groups is no communication of the program.
///
/// The process joins the session of its environment when it has become a task: of the call by which it does,
/// and which may have waited for others, the record is made when it has ended.
///
/// Used in the order of the functions below, by wrappers only. None throws, changes errno, or communicates.
class Recording {
 public:
  /// `from`: where the call returns to.
  Recording(std::uint16_t call, PvmClass of, const void* from) noexcept;
  ~Recording();  ///< ends a call that an exception or the end of the thread has left
  Recording(const Recording&) = delete;
  Recording& operator=(const Recording&) = delete;
  /// Whether a record is made. If not, nothing else is to be called.
  explicit operator bool() const noexcept { return is_followed_; }

  /// What is known of the call.
  [[nodiscard]] PvmCallRecord& call() noexcept { return call_; }
  void partner(int task) noexcept;
  void tag(int tag) noexcept;
  void group(const char* name) noexcept;
  /// The destinations of a multicast; they are valid until it has ended.
  void destinations(const int* tasks, int count) noexcept;
  /// The message that is to be sent.
  void sends() noexcept;
  void begin() noexcept;

  /// The call has returned; says so before anything else is called.
  void has_returned() noexcept;
  /// The message in the buffer, which the call has received.
  void received(int buffer) noexcept;
  /// The message that a function inside the call has received last.
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
  bool is_open_{false};  // the recorder has the call
  bool is_executing_{false};
};

/// Whether a function of PVM is executed by the calling thread whose calls of the system are recorded.
bool is_inside_pvm() noexcept;

}  // namespace eventspace::pvm
