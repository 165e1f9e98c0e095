#include <algorithm>
#include <cstdint>
#include <utility>

#include <eventspace/error.h>
#include "monitors/top/display.h"
#include "pathmaps/plan/plan_names.h"

namespace eventspace::top {
namespace {

constexpr std::size_t deepest = 32;  // screens of threads entered one from another

// Removes the last character with all its UTF-8 bytes.
void drop_last_character(std::string& text) {
  while (!text.empty() && (static_cast<unsigned char>(text.back()) & 0xc0U) == 0x80U) text.pop_back();
  if (!text.empty()) text.pop_back();
}

}  // namespace

void Display::press(const Key& key, const State& state) {
  if (prompt_) return press_prompt(key);
  if (std::exchange(is_helping_, false) && key.text != "q") return;
  const auto rows = static_cast<std::ptrdiff_t>(page_rows_);
  switch (key.name) {
    case KeyName::character:
      if (!press_letter(key.text) && (key.text == "j" || key.text == "k"))
        move(key.text == "j" ? 1 : -1, state);
      break;
    case KeyName::up:
      return move(-1, state);
    case KeyName::down:
      return move(1, state);
    case KeyName::page_up:
      return move(-rows, state);
    case KeyName::page_down:
      return move(rows, state);
    case KeyName::home:
      open().cursor.reset();
      break;
    case KeyName::end:
      return move(PTRDIFF_MAX / 2, state);
    case KeyName::enter:
      return enter(state);
    case KeyName::escape:
    case KeyName::backspace:
      return press_escape();
    case KeyName::tab:
    case KeyName::right:
      return go_to_screen((current_ + 1) % screens_.size());
    case KeyName::back_tab:
    case KeyName::left:
      return go_to_screen((current_ + screens_.size() - 1) % screens_.size());
    case KeyName::clear_line:
    case KeyName::redraw:
      break;
  }
}

bool Display::press_letter(const std::string& letter) {
  const char c = letter.size() == 1 ? letter[0] : '\0';
  if (playback_ != nullptr && press_playback(c)) return true;
  switch (c) {
    case 'q':
      is_over_ = true;
      return true;
    case '?':
    case 'h':
      is_helping_ = true;
      return true;
    case 's':
      sort_next();
      return true;
    case 'r':
      open().is_reversed = !open().is_reversed;
      return true;
    case 'p':
    case ' ':
      is_paused_ = !is_paused_;
      return true;
    case '/':
      prompt_ = Prompt{.text = context_.filter.text()};
      return true;
    default:
      if (c < '1' || static_cast<std::size_t>(c - '1') >= screens_.size()) return false;
      go_to_screen(static_cast<std::size_t>(c - '1'));
      return true;
  }
}

bool Display::press_playback(char letter) {
  using std::chrono::seconds;
  const auto skip = [this](seconds time) { playback_->seek(playback_->position() + time); };
  switch (letter) {
    case 'p':
    case ' ':
      playback_->play(!playback_->plays());
      return true;
    case '+':
    case '=':  // the same key on many keyboards
      playback_->set_speed(playback_->speed() * 2);
      return true;
    case '-':
      playback_->set_speed(playback_->speed() / 2);
      return true;
    case ',':
    case '.':
      skip(seconds(letter == ',' ? -1 : 1));
      return true;
    case '[':
    case ']':
      skip(seconds(letter == '[' ? -10 : 10));
      return true;
    case '{':
    case '}':
      skip(seconds(letter == '{' ? -60 : 60));
      return true;
    case 'g':
      prompt_ = Prompt{.asked_for = Prompt::For::moment};
      return true;
    default:
      return false;
  }
}

void Display::press_prompt(const Key& key) {
  Prompt& prompt = *prompt_;
  prompt.fault.clear();
  switch (key.name) {
    case KeyName::character:
      if (prompt.text.size() + key.text.size() <= Expression::longest) prompt.text += key.text;
      break;
    case KeyName::backspace:
      return drop_last_character(prompt.text);
    case KeyName::clear_line:
      return prompt.text.clear();
    case KeyName::escape:
      return prompt_.reset();
    case KeyName::enter:
      return take_prompt();
    default:
      break;
  }
}

void Display::take_prompt() {
  try {
    if (prompt_->asked_for == Prompt::For::filter) {
      filter_by(prompt_->text);
    } else {
      const auto moment = AskedMoment::read(prompt_->text);
      if (!moment) throw ConfigurationError(std::string(AskedMoment::allowed));
      playback_->seek(since_begin(*moment, playback_->covered(), "go to"));
    }
    prompt_.reset();
  } catch (const ConfigurationError& error) {
    prompt_->fault = error.what();
  }
}

void Display::press_escape() {
  if (!entered_.empty()) {
    entered_.pop_back();
  } else if (current_ != 0) {
    current_ = 0;
  } else {
    context_.filter = {};
  }
}

void Display::go_to_screen(std::size_t number) {
  entered_.clear();
  current_ = number;
}

void Display::enter(const State& state) {
  const Page page = page_of(open(), state);
  if (page.rows.empty()) return;
  const auto thread = page.rows[open().row_of_cursor(page)].thread;
  if (!thread || !process_of_thread(*context_.plan, *thread)) return;
  if (entered_.size() == deepest) entered_.erase(entered_.begin());
  entered_.push_back({thread_screen(*thread)});
}

void Display::sort_next() {
  Open& shown = open();
  const Page page = shown.screen->page(State{}, context_);
  do {
    shown.sorted = (shown.sorted + 1) % page.columns.size();
  } while (!page.columns[shown.sorted].can_sort);
  shown.is_reversed = false;
}

void Display::move(std::ptrdiff_t rows, const State& state) {
  const Page page = page_of(open(), state);
  if (page.rows.empty()) return;
  const auto last = static_cast<std::ptrdiff_t>(page.rows.size()) - 1;
  const auto now = static_cast<std::ptrdiff_t>(open().row_of_cursor(page));
  const auto target = static_cast<std::size_t>(std::clamp<std::ptrdiff_t>(now + rows, 0, last));
  open().cursor = page.rows[target].id;
}

}  // namespace eventspace::top
