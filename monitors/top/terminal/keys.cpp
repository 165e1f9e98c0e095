#include "monitors/top/terminal/keys.h"

#include <algorithm>
#include <map>
#include <optional>
#include <utility>

namespace eventspace::top {
namespace {

constexpr char escape = '\x1b';

// Sequences of keys are much shorter; longer ones are garbage.
constexpr std::size_t longest_sequence = 32;

std::optional<KeyName> control(char byte) {
  switch (byte) {
    case '\r':
    case '\n':
      return KeyName::enter;
    case '\t':
      return KeyName::tab;
    case '\b':
    case '\x7f':
      return KeyName::backspace;
    case '\x15':
      return KeyName::clear_line;
    case '\x0c':
      return KeyName::redraw;
    default:
      return std::nullopt;
  }
}

// The key of a sequence after "ESC [" or "ESC O", as xterm, the Linux console and similar terminals send
// them.
std::optional<KeyName> sequence(const std::string& tail) {
  static const std::map<std::string, KeyName> known{
      {"A", KeyName::up},       {"B", KeyName::down}, {"C", KeyName::right},    {"D", KeyName::left},
      {"H", KeyName::home},     {"F", KeyName::end},  {"1~", KeyName::home},    {"7~", KeyName::home},
      {"4~", KeyName::end},     {"8~", KeyName::end}, {"5~", KeyName::page_up}, {"6~", KeyName::page_down},
      {"Z", KeyName::back_tab}, {"M", KeyName::enter}};
  const auto found = known.find(tail);
  return found == known.end() ? std::nullopt : std::optional(found->second);
}

std::size_t length_of_character(char byte) {
  const auto first = static_cast<unsigned char>(byte);
  return first >= 0xf0 ? 4 : first >= 0xe0 ? 3 : first >= 0xc0 ? 2 : 1;
}

bool is_final(char byte) { return byte >= '@' && byte <= '~'; }

}  // namespace

std::vector<Key> KeyReader::read(std::string_view bytes) {
  pending_ += bytes;
  std::vector<Key> keys;
  while (take_key(keys)) {
  }
  return keys;
}

std::vector<Key> KeyReader::pause() {
  std::vector<Key> keys;
  if (pending_.empty()) return keys;
  if (pending_[0] == escape) keys.push_back({KeyName::escape});
  const std::string rest = pending_[0] == escape ? pending_.substr(1) : "";
  pending_.clear();
  // The bytes of an incomplete sequence are dropped, because they are not text.
  if (!rest.empty() && rest[0] != '[' && rest[0] != 'O') {
    for (Key& key : read(rest)) keys.push_back(std::move(key));
  }
  return keys;
}

// Takes one key or drops one invalid sequence. Returns false when the pending bytes are not a whole key.
bool KeyReader::take_key(std::vector<Key>& keys) {
  if (pending_.empty()) return false;
  const auto take = [this](std::size_t bytes) {
    std::string taken = pending_.substr(0, bytes);
    pending_.erase(0, bytes);
    return taken;
  };
  if (pending_[0] != escape) {
    const std::size_t length = length_of_character(pending_[0]);
    if (pending_.size() < length) return false;
    std::string text = take(length);
    if (const auto name = control(text[0])) {
      keys.push_back({*name});
    } else if (static_cast<unsigned char>(text[0]) >= 0x20) {
      keys.push_back({KeyName::character, std::move(text)});
    }
    return true;
  }
  if (pending_.size() < 2) return false;
  if (pending_[1] != '[' && pending_[1] != 'O') {  // the key Escape, followed by another key
    take(1);
    keys.push_back({KeyName::escape});
    return true;
  }
  const auto end = std::find_if(pending_.begin() + 2, pending_.end(), is_final);
  if (end == pending_.end()) {
    if (pending_.size() > longest_sequence) pending_.clear();
    return false;
  }
  const std::string whole = take(static_cast<std::size_t>(end - pending_.begin()) + 1);
  if (const auto name = sequence(whole.substr(2))) keys.push_back({*name});
  return true;
}

}  // namespace eventspace::top
