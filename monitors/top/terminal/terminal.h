#pragma once

// Private to monitors/.

#include <termios.h>

#include <optional>
#include <string>
#include <string_view>

#include "monitors/top/terminal/frame.h"
#include "tuplespace/system/mapping.h"

namespace eventspace::top {

/// What a terminal is from the environment: TERM, NO_COLOR, the locale.
struct TerminalKind {
  bool is_screen{false};  ///< standard input and output are a terminal that has a screen
  bool has_colour{false};
  Charset charset{Charset::ascii};
  static TerminalKind of_environment();
};

/// The terminal as a screen: its second page without echo, line editing, or cursor, one key at a time, Ctrl-C
/// and Ctrl-Z signals as before. What it was like before is restored by the destructor; by `leave`, until
/// `enter`; and when the process dies of a fault or abort(). One in a process.
///
/// Writing never waits: what the terminal does not take yet is kept and goes on when poll(2) says that it
/// takes more, and until then no new frame is shown.
class Terminal {
 public:
  /// Throws EnvironmentError when standard input and output are no terminal.
  explicit Terminal(bool has_colour);
  ~Terminal();
  Terminal(const Terminal&) = delete;
  Terminal& operator=(const Terminal&) = delete;

  void leave() noexcept;  ///< for as long as another program has it
  /// Again; all is drawn anew. False when it is gone.
  [[nodiscard]] bool enter();

  [[nodiscard]] Size size() const;
  void redraw() noexcept { shown_.reset(); }  ///< what it shows is not known any more
  /// Shows `frame`, unless the one before is still on its way.
  void show(const Frame& frame);

  [[nodiscard]] int input() const noexcept;
  [[nodiscard]] int output() const noexcept { return output_; }
  [[nodiscard]] bool is_writing() const noexcept { return !pending_.empty(); }
  /// Writes what it takes now; false when it is gone.
  bool write();
  /// What was typed; nothing when the terminal is gone.
  static std::optional<std::string> read();

 private:
  bool has_colour_;
  FileHandle own_output_;  // with flags of its own
  int output_;
  std::string pending_;
  std::optional<Frame> shown_;
};

}  // namespace eventspace::top
