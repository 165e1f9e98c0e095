#pragma once

#include <string>

namespace eventspace {

/// One thing that is wrong with a pathmap, and where.
struct Fault {
  std::string file;
  int line{0};       ///< from 1; 0: about the file as a whole
  int column{0};     ///< from 1
  std::string text;  ///< what was found; what is allowed
  friend bool operator==(const Fault&, const Fault&) = default;
};

/// "FILE:LINE:COLUMN: error: TEXT", or "FILE: error: TEXT" for a fault of the whole file.
std::string to_string(const Fault& fault);

}  // namespace eventspace
