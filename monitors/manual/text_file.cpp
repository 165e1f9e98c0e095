#include "monitors/manual/text_file.h"

#include <fmt/format.h>

#include <fstream>
#include <sstream>

#include <eventspace/error.h>

namespace eventspace {

void write_text_file(const std::filesystem::path& file, const std::string& text) {
  std::error_code ignored;  // the stream's failure suffices
  std::filesystem::create_directories(file.parent_path(), ignored);
  std::ofstream stream(file);
  stream << text;
  stream.close();
  if (!stream) throw EnvironmentError(fmt::format("cannot write {}", file.string()));
}

std::string read_text_file(const std::filesystem::path& file) {
  std::ifstream stream(file);
  std::ostringstream text;
  text << stream.rdbuf();
  if (!stream) throw EnvironmentError(fmt::format("cannot read {}", file.string()));
  return text.str();
}

}  // namespace eventspace
