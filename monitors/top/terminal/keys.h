#pragma once

// Private to monitors/.

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace eventspace::top {

enum class KeyName : std::uint8_t {
  character,  ///< Key::text says which
  up,
  down,
  left,
  right,
  page_up,
  page_down,
  home,
  end,
  enter,
  escape,
  backspace,
  tab,
  back_tab,
  clear_line,  ///< Ctrl-U
  redraw       ///< Ctrl-L
};

struct Key {
  KeyName name{KeyName::character};
  std::string text{};  ///< of a character, in UTF-8
  friend bool operator==(const Key&, const Key&) = default;
};

/// Makes keys of the bytes that a terminal sends. Sequences may come in pieces; those that are not known are
/// swallowed whole. An escape that nothing follows is the key Escape: whoever waits for input says so with
/// `pause`.
class KeyReader {
 public:
  std::vector<Key> read(std::string_view bytes);
  /// Nothing more came for a while.
  std::vector<Key> pause();
  [[nodiscard]] bool is_within_key() const noexcept { return !pending_.empty(); }

 private:
  bool take_key(std::vector<Key>& keys);

  std::string pending_;
};

}  // namespace eventspace::top
