#include "tuplespace/system/file_beginning.h"

#include <algorithm>
#include <fstream>

namespace eventspace {

std::string beginning_of_file(const std::filesystem::path& file, std::size_t most) {
  std::string bytes(most, '\0');
  std::ifstream in(file, std::ios::binary);
  in.read(bytes.data(), static_cast<std::streamsize>(most));
  bytes.resize(static_cast<std::size_t>(std::max<std::streamsize>(in.gcount(), 0)));
  return bytes;
}

}  // namespace eventspace
