#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace eventspace::testing_commands {

/// Emulates a terminal as far as `eventspace top`, and shells around it, use one. Records unknown sequences
/// as faults.
class TerminalEmulator {
 public:
  TerminalEmulator(std::size_t rows, std::size_t columns) { resize(rows, columns); }

  void feed(const std::string& bytes);
  void resize(std::size_t rows, std::size_t columns);

  /// The visible rows without trailing blanks.
  [[nodiscard]] std::string text() const;
  [[nodiscard]] std::string row(std::size_t number) const;
  /// The index of the first reversed row below row 0; the number of rows if there is none.
  [[nodiscard]] std::size_t reversed_row() const;
  [[nodiscard]] bool is_on_second_page() const noexcept { return second_page_; }
  [[nodiscard]] bool has_cursor() const noexcept { return has_cursor_; }
  [[nodiscard]] bool has_colour() const noexcept { return has_colour_; }
  [[nodiscard]] const std::vector<std::string>& faults() const noexcept { return faults_; }
  /// The number of characters written so far, without escape sequences.
  [[nodiscard]] std::size_t characters() const noexcept { return characters_; }

 private:
  struct Cell {
    std::string character{" "};
    bool is_reversed{false};
  };
  using Picture = std::vector<std::vector<Cell>>;

  void take(char byte);
  void put(const std::string& character);
  void obey(const std::string& sequence);
  void set_look(const std::string& parameters);
  void set_mode(const std::string& mode, bool on);
  void erase(const std::string& parameters, char what, const std::string& sequence);
  void next_line();

  std::size_t rows_{0}, columns_{0};
  Picture picture_;
  Picture first_page_;
  std::size_t row_{0}, column_{0};
  std::size_t first_page_row_{0}, first_page_column_{0};
  bool wraps_{true};
  bool is_beyond_{false};  // the last column was written, so the next character goes to the next line
  bool is_reversed_{false};
  bool second_page_{false};
  bool has_cursor_{true};
  bool has_colour_{false};
  std::string pending_;
  std::vector<std::string> faults_;
  std::size_t characters_{0};
};

}  // namespace eventspace::testing_commands
