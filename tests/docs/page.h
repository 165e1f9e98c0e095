#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "tests/lines.h"

namespace eventspace::docs {

/// A fenced block of a Markdown page.
struct Block {
  std::string language;  ///< the word after the fence, such as "yaml"; empty if missing
  std::string note;      ///< the text of an HTML comment on the line before the block; empty if missing
  std::string text;      ///< without the fences
  int line{0};           ///< of the first line of the text
};

/// Returns the fenced blocks of `page` in their order. Throws std::runtime_error if it cannot be read, or if
/// its last block is not closed.
std::vector<Block> blocks_of(const std::filesystem::path& page);
/// The same for the text of a page.
std::vector<Block> blocks_in(const std::string& page);

/// Returns the content of `file`; throws std::runtime_error if it cannot be read.
std::string content_of(const std::filesystem::path& file);

using test::lines_of;

/// Returns README.md and the pages of docs/, in the order of their names.
std::vector<std::filesystem::path> pages();

}  // namespace eventspace::docs
