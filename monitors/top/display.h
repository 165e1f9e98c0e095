#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "monitors/top/playback.h"
#include "monitors/top/screen.h"
#include "monitors/top/terminal/frame.h"
#include "monitors/top/terminal/keys.h"
#include "monitors/top/terminal/page.h"

namespace eventspace::top {

/// The state of the user interface: the shown screen, the cursor, the order of rows, and the filter. Handles
/// keys and draws frames. Pure, except for the playback of a recording. Not thread-safe.
///
/// The cursor stays on its row when the order of rows changes. Until it is first moved, it stays at the top
/// instead.
class Display {
 public:
  static constexpr Size smallest{12, 60};  ///< a smaller terminal shows only a message

  /// `title` names the pathmap and the session. `names` and `plan` must outlive this object.
  Display(const Plan& plan, const PlanNames& names, std::string title, Charset charset);

  /// Sorts the first screen by the column with the lower-case title `title`. Throws ConfigurationError with
  /// the known titles for an unknown one.
  void sort_by(const std::string& title, bool reversed);
  /// Sets the filter. Throws ConfigurationError if `text` is not valid.
  void filter_by(const std::string& text);

  /// Shows a recording, and has keys for its playback, which must outlive this object.
  void show_recording(Playback& playback) { playback_ = &playback; }

  void press(const Key& key, const State& state);
  Frame draw(const State& state, Size size);
  /// The first `most` rows of the first screen (0: all) as lines, for output that is not a terminal. A line
  /// below them says how many rows are left out.
  [[nodiscard]] std::string lines(const State& state, std::size_t most) const;

  [[nodiscard]] bool is_over() const noexcept { return is_over_; }
  /// For a running session: whether the user has paused sampling.
  [[nodiscard]] bool is_paused() const noexcept { return is_paused_; }
  [[nodiscard]] bool needs_servers() const { return open().screen->needs_servers(); }
  [[nodiscard]] bool needs_collectives() const { return open().screen->needs_collectives(); }
  [[nodiscard]] bool needs_streams() const { return open().screen->needs_streams(); }

 private:
  struct Open {
    std::unique_ptr<Screen> screen;
    std::size_t sorted{0};
    bool is_reversed{false};
    std::optional<std::uint64_t> cursor{};  ///< the id of the row; nullopt: whichever row is first
    std::size_t first{0};                   ///< index of the first row shown
    [[nodiscard]] std::size_t row_of_cursor(const Page& page) const;
  };
  struct Prompt {
    enum class For : std::uint8_t { filter, moment };
    For asked_for{For::filter};
    std::string text{};
    std::string fault{};
  };

  [[nodiscard]] const Open& open() const { return entered_.empty() ? screens_[current_] : entered_.back(); }
  Open& open() { return entered_.empty() ? screens_[current_] : entered_.back(); }
  [[nodiscard]] Page page_of(const Open& shown, const State& state) const;

  bool press_letter(const std::string& letter);
  bool press_playback(char letter);
  void press_prompt(const Key& key);
  void take_prompt();
  void press_escape();
  void go_to_screen(std::size_t number);
  void enter(const State& state);
  void sort_next();
  void move(std::ptrdiff_t rows, const State& state);

  [[nodiscard]] std::string bar_words(const Page& page) const;
  void draw_bar(Frame& frame, const Page& page) const;
  void draw_prompt(Frame& frame, std::size_t row) const;
  void draw_keys(Frame& frame, const Page& page) const;
  void draw_rows(Frame& frame, std::size_t row, const Page& page);
  void draw_help(Frame& frame, std::size_t row) const;

  Context context_;
  Playback* playback_{nullptr};
  std::string title_;
  Charset charset_;
  std::vector<Open> screens_;
  std::size_t current_{0};
  std::vector<Open> entered_;  // screens of threads, each entered from the one before
  std::optional<Prompt> prompt_;
  std::size_t page_rows_{10};  // in the last frame
  bool is_helping_{false};
  bool is_paused_{false};
  bool is_over_{false};
};

}  // namespace eventspace::top
