#include "tuplespace/system/file_beginning.h"

#include <fcntl.h>

#include <algorithm>
#include <istream>
#include <span>

#include "tuplespace/system/mapping.h"
#include "tuplespace/system/transfers.h"

namespace eventspace {

std::string beginning_of_file(const std::filesystem::path& file, std::size_t most) {
  constexpr std::size_t first_part = 4096;
  const FileHandle in(::open(file.c_str(), O_RDONLY | O_CLOEXEC));
  std::string bytes;
  while (in.valid() && bytes.size() < most) {
    const std::size_t have = bytes.size();
    bytes.resize(std::min(most, std::max(first_part, 2 * have)));
    const std::size_t more = read_fully(in.get(), std::as_writable_bytes(std::span(bytes)).subspan(have));
    if (have + more < bytes.size()) {
      bytes.resize(have + more);
      break;
    }
  }
  return bytes;
}

std::string beginning_of(std::istream& in, std::size_t most) {
  std::string bytes(most, '\0');
  in.read(bytes.data(), static_cast<std::streamsize>(most));
  bytes.resize(static_cast<std::size_t>(std::max<std::streamsize>(in.gcount(), 0)));
  return bytes;
}

}  // namespace eventspace
