#include "monitors/top/terminal/terminal.h"

#include <fcntl.h>
#include <langinfo.h>
#include <locale.h>
#include <poll.h>
#include <signal.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>

#include <eventspace/error.h>
#include "monitors/text/colour.h"
#include "monitors/top/terminal/frame_writer.h"
#include "pathmaps/sessions/own_process.h"

namespace eventspace::top {
namespace {

// Alternate page, no cursor, no automatic line wrap.
constexpr std::string_view entering = "\x1b[?1049h\x1b[?25l\x1b[?7l";
constexpr std::string_view leaving = "\x1b[0m\x1b[?7h\x1b[?25h\x1b[?1049l";

bool is_utf8() {
  const locale_t locale = ::newlocale(LC_CTYPE_MASK, "", locale_t{});
  if (locale == locale_t{}) return false;
  const bool is = std::string_view(::nl_langinfo_l(CODESET, locale)) == "UTF-8";
  ::freelocale(locale);
  return is;
}

// --- restoring the terminal when the process dies --------------------------------------------------------

constexpr std::array<int, 6> fatal_signals{SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT, SIGQUIT};

// Written before the signal handlers are installed, read by them.
termios terminal_before;
std::array<struct sigaction, fatal_signals.size()> actions_before;
int output_of_terminal = STDOUT_FILENO;
volatile sig_atomic_t is_entered = 0;

void restore_terminal() noexcept {
  if (is_entered == 0) return;
  is_entered = 0;
  (void)!::write(output_of_terminal, leaving.data(), leaving.size());
  ::tcsetattr(STDIN_FILENO, TCSANOW,
              &terminal_before);  // not TCSADRAIN, which would wait for a stuck line
}

// Restores the previous handlers and lets the signal act again: a fault recurs, and a signal that was sent is
// sent again.
void die_restored(int signal, siginfo_t* info, void* /*context*/) {
  const int error = errno;
  restore_terminal();
  for (std::size_t i = 0; i < fatal_signals.size(); ++i) {
    if (fatal_signals[i] == signal) ::sigaction(signal, &actions_before[i], nullptr);
  }
  if (info->si_code <= 0) ::raise(signal);
  errno = error;
}

void watch_fatal_signals() {
  for (std::size_t i = 0; i < fatal_signals.size(); ++i) {
    struct sigaction action {};
    action.sa_sigaction = die_restored;
    action.sa_flags = SA_SIGINFO;
    ::sigaction(fatal_signals[i], &action, &actions_before[i]);
  }
}

void unwatch_fatal_signals() {
  for (std::size_t i = 0; i < fatal_signals.size(); ++i)
    ::sigaction(fatal_signals[i], &actions_before[i], nullptr);
}

termios without_lines(termios modes) {
  modes.c_lflag &= ~static_cast<tcflag_t>(ICANON | ECHO | IEXTEN);
  modes.c_iflag &= ~static_cast<tcflag_t>(IXON | ICRNL | INLCR | ISTRIP);
  modes.c_cc[VMIN] = 0;  // reads must not block: the caller has polled
  modes.c_cc[VTIME] = 0;
  return modes;
}

}  // namespace

TerminalKind TerminalKind::of_environment() {
  const std::string name = environment("TERM");
  TerminalKind kind;
  kind.is_screen =
      ::isatty(STDIN_FILENO) == 1 && ::isatty(STDOUT_FILENO) == 1 && !name.empty() && name != "dumb";
  kind.has_colour = terminal_has_colour();
  kind.charset = is_utf8() ? Charset::utf8 : Charset::ascii;
  return kind;
}

// Opens the output a second time to set O_NONBLOCK without affecting other processes that share descriptor 1.
// If that fails, as for a terminal of another user, uses descriptor 1.
Terminal::Terminal(bool has_colour)
    : has_colour_(has_colour),
      own_output_(::open("/proc/self/fd/1", O_WRONLY | O_NOCTTY | O_NONBLOCK | O_CLOEXEC)),
      output_(own_output_.valid() ? own_output_.get() : STDOUT_FILENO) {
  if (::tcgetattr(STDIN_FILENO, &terminal_before) != 0)
    throw EnvironmentError::from_errno("cannot use the terminal", errno);
  output_of_terminal = output_;
  watch_fatal_signals();
  if (enter()) return;
  unwatch_fatal_signals();
  throw EnvironmentError::from_errno("cannot use the terminal", errno);
}

Terminal::~Terminal() {
  leave();
  unwatch_fatal_signals();
}

bool Terminal::enter() {
  const termios modes = without_lines(terminal_before);
  if (::tcsetattr(STDIN_FILENO, TCSANOW, &modes) != 0) return false;
  is_entered = 1;
  pending_ = entering;
  redraw();
  return true;
}

// The pending bytes may be partly written. If they cannot be completed, the next escape sequence ends an
// incomplete one.
void Terminal::leave() noexcept {
  constexpr int patience_ms = 200;
  pollfd ready{output_, POLLOUT, 0};
  while (!pending_.empty() && ::poll(&ready, 1, patience_ms) == 1 && write()) {
  }
  pending_.clear();
  restore_terminal();
}

int Terminal::input() const noexcept { return STDIN_FILENO; }

Size Terminal::size() const {
  constexpr Size largest{400, 1000};
  winsize said{};
  if (::ioctl(output_, TIOCGWINSZ, &said) != 0 || said.ws_row == 0 || said.ws_col == 0) return {};
  return {std::min<std::size_t>(said.ws_row, largest.rows),
          std::min<std::size_t>(said.ws_col, largest.columns)};
}

void Terminal::show(const Frame& frame) {
  if (is_writing() && shown_) return;
  pending_ += write_difference(shown_ ? &*shown_ : nullptr, frame, has_colour_);
  shown_ = frame;
}

bool Terminal::write() {
  const ssize_t written = ::write(output_, pending_.data(), pending_.size());
  if (written > 0) pending_.erase(0, static_cast<std::size_t>(written));
  return written >= 0 || errno == EAGAIN || errno == EINTR;
}

std::optional<std::string> Terminal::read() {
  std::array<char, 256> bytes{};
  const ssize_t got = ::read(STDIN_FILENO, bytes.data(), bytes.size());
  if (got > 0) return std::string(bytes.data(), static_cast<std::size_t>(got));
  if (got < 0 && (errno == EAGAIN || errno == EINTR)) return std::string();
  return std::nullopt;
}

}  // namespace eventspace::top
