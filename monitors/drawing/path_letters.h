#pragma once

#include <map>
#include <string>
#include <vector>

namespace eventspace {

/// Short names for the long names of paths in the labels of a picture, with a key that explains them. Names
/// that differ only after the last slash are one: "send/{n,s}". Pure. Not thread-safe.
class PathLetters {
 public:
  /// Adds names that will be passed to text_of().
  void add(const std::vector<std::string>& names);
  /// "a, result": names of few characters stay as they are.
  [[nodiscard]] std::string text_of(const std::vector<std::string>& names) const;
  /// Lines such as "a: send/north/{n,ne,nw}    b: send/south/{s,se,sw}"; empty if no letter is used.
  [[nodiscard]] std::vector<std::string> key() const;

 private:
  std::map<std::string, std::string> letters_;  // by name
  std::vector<std::string> in_order_;
};

}  // namespace eventspace
