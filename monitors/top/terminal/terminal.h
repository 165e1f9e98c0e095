#pragma once

#include <termios.h>

#include <optional>
#include <string>

#include "monitors/top/terminal/frame.h"
#include "tuplespace/system/mapping.h"

namespace eventspace::top {

/// The properties of the terminal according to the environment: TERM, NO_COLOR and the locale.
struct TerminalKind {
  bool is_screen{false};  ///< standard input and output are a terminal with a screen
  bool has_colour{false};
  Charset charset{Charset::ascii};
  static TerminalKind of_environment();
};

/// The terminal as a screen: shows its alternate page without a cursor, and passes keys on one at a time,
/// without echo or line editing. Ctrl-C and Ctrl-Z remain signals. The previous state is restored by the
/// destructor, by leave() until enter(), and when the process dies of a fault or abort(). At most one object
/// may exist in a process. Used by one thread.
///
/// Writing never blocks. Bytes that the terminal does not accept yet are kept, and the caller continues with
/// write() when poll(2) reports the output writable. Until all are written, no new frame is shown.
class Terminal {
 public:
  /// Throws EnvironmentError when standard input and output are not a terminal.
  explicit Terminal(bool has_colour);
  ~Terminal();
  Terminal(const Terminal&) = delete;
  Terminal& operator=(const Terminal&) = delete;

  void leave() noexcept;  ///< before another program uses the terminal
  /// Takes the terminal again and redraws everything. Returns false when the terminal is gone.
  [[nodiscard]] bool enter();

  [[nodiscard]] Size size() const;
  void redraw() noexcept { shown_.reset(); }  ///< draws everything next time
  /// Shows `frame`, unless the previous one is not completely written.
  void show(const Frame& frame);

  [[nodiscard]] int input() const noexcept;
  [[nodiscard]] int output() const noexcept { return output_; }
  [[nodiscard]] bool is_writing() const noexcept { return !pending_.empty(); }
  /// Writes as many pending bytes as the terminal accepts. Returns false when it is gone.
  bool write();
  /// Returns the bytes that were typed; nullopt when the terminal is gone.
  static std::optional<std::string> read();

 private:
  bool has_colour_;
  FileHandle own_output_;  // with file status flags of its own
  int output_;
  std::string pending_;
  std::optional<Frame> shown_;
};

}  // namespace eventspace::top
