#pragma once

#include <chrono>
#include <cstddef>
#include <deque>
#include <string>

#include "monitors/top/terminal/frame.h"
#include "monitors/top/terminal/keys.h"
#include "monitors/top/terminal/page.h"

namespace eventspace::top {

/// The page of a monitor that refreshes one table on the terminal: a bar with the title and the time, lines,
/// the table, notes, and a foot with the keys. Handles keys, scrolls and draws frames; derived classes supply
/// the contents. Pure. Not thread-safe.
class LivePage {
 public:
  static constexpr Size smallest{5, 32};  ///< a smaller terminal shows only a message

  /// `title` describes the watched session.
  LivePage(std::string title, Charset charset) : title_(std::move(title)), charset_(charset) {}
  virtual ~LivePage() = default;
  LivePage(const LivePage&) = delete;
  LivePage& operator=(const LivePage&) = delete;

  void press(const Key& key);
  [[nodiscard]] Frame draw(Size size);
  /// Adds a line, such as an alert, which is shown until five later ones have been added.
  void note(std::string line);

  [[nodiscard]] bool is_over() const noexcept { return is_over_; }
  /// Whether the user has paused the display; the monitor continues.
  [[nodiscard]] bool is_paused() const noexcept { return is_paused_; }

 protected:
  /// The lines and the table as they are now.
  [[nodiscard]] virtual Page page() const = 0;
  /// The time to show in the bar.
  [[nodiscard]] virtual std::chrono::nanoseconds time() const = 0;
  /// A warning for the foot, such as about losses; empty without one.
  [[nodiscard]] virtual std::string warning() const { return ""; }
  [[nodiscard]] Charset charset() const noexcept { return charset_; }

 private:
  void draw_bar(Frame& frame) const;
  void draw_foot(Frame& frame, std::size_t row, std::size_t rows, std::size_t count) const;

  std::string title_;
  Charset charset_;
  std::deque<std::string> notes_;
  std::size_t first_{0};       // the first row shown
  std::size_t shown_rows_{1};  // in the last frame
  std::size_t all_rows_{0};    // in the last frame
  bool is_paused_{false};
  bool is_over_{false};
};

}  // namespace eventspace::top
