#pragma once

#include <termios.h>

#include <functional>
#include <map>
#include <string>
#include <vector>

#include "tests/monitors/top/terminal_emulator.h"

namespace eventspace::testing_commands {

/// A program on a terminal of its own. The test types on the terminal and reads it. The destructor kills the
/// program.
class TerminalProgram {
 public:
  TerminalProgram(const std::vector<std::string>& command, std::size_t rows, std::size_t columns,
                  const std::map<std::string, std::string>& environment = {});
  ~TerminalProgram();
  TerminalProgram(const TerminalProgram&) = delete;
  TerminalProgram& operator=(const TerminalProgram&) = delete;

  void type(const std::string& keys) const;
  void resize(std::size_t rows, std::size_t columns);
  /// Closes the terminal.
  void hang_up();
  void signal(int number) const;

  /// Waits until `condition` holds for the terminal. Returns whether it did in time.
  bool sees(const std::function<bool(const TerminalEmulator&)>& condition);
  bool sees(const std::string& text);
  [[nodiscard]] const TerminalEmulator& seen() const noexcept { return emulator_; }
  /// All output so far, including escape sequences.
  [[nodiscard]] const std::string& bytes() const noexcept { return bytes_; }
  [[nodiscard]] termios modes() const;

  int status();  ///< waits for its end

 private:
  void look();
  bool has_ended();

  TerminalEmulator emulator_;
  std::string bytes_;
  int master_{-1};
  int pid_{-1};
  bool has_ended_{false};
  int status_{-1};
};

}  // namespace eventspace::testing_commands
