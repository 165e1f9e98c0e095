#pragma once

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
  std::string text{};  ///< the character in UTF-8, if `name` is character
  friend bool operator==(const Key&, const Key&) = default;
};

/// Decodes the bytes that a terminal sends into keys. Sequences may arrive in pieces; unknown ones are
/// dropped as a whole. An escape byte that is not followed by another is the key Escape; the caller reports
/// by pause() that no byte followed. Not thread-safe.
class KeyReader {
 public:
  std::vector<Key> read(std::string_view bytes);
  /// Call when no byte has arrived for a while. Returns the keys of the pending bytes.
  std::vector<Key> pause();
  [[nodiscard]] bool is_within_key() const noexcept { return !pending_.empty(); }

 private:
  bool take_key(std::vector<Key>& keys);

  std::string pending_;
};

}  // namespace eventspace::top
