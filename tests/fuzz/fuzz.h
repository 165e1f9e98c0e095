#pragma once

#include <unistd.h>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <span>
#include <string>
#include <vector>

#include <eventspace/tuple.h>

/// Decodes any bytes. Must neither crash nor allocate without bound; aborts if the decoder's guarantees are
/// violated. Each target of this folder defines it.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);

namespace eventspace::fuzz {

/// Valid inputs of the target, from which mutations begin. Each target defines it. They are made by the code
/// under test, so that they stay valid when a format changes; the folder corpus/ has further inputs that were
/// found.
std::vector<std::string> seeds();

inline Bytes bytes_of(const std::uint8_t* data, std::size_t size) {
  return std::as_bytes(std::span(data, size));
}

inline std::string text_of(std::span<const std::byte> bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

/// A file of this user in memory that gets one content after the other.
class ScratchFile {
 public:
  explicit ScratchFile(const std::string& name)
      : path_(std::filesystem::path("/dev/shm") /
              ("eventspace-fuzz-" + name + "." + std::to_string(::getpid()))) {}
  ~ScratchFile() {
    std::error_code ignored;
    std::filesystem::remove(path_, ignored);
  }
  ScratchFile(const ScratchFile&) = delete;
  ScratchFile& operator=(const ScratchFile&) = delete;

  const std::filesystem::path& with(const std::string& content) const {
    std::filesystem::remove(path_);  // a view of the last content may have made it longer
    std::ofstream(path_, std::ios::binary) << content;
    std::filesystem::permissions(path_, std::filesystem::perms(0600));
    return path_;
  }

 private:
  std::filesystem::path path_;
};

/// The content of a file.
inline std::string content_of(const std::filesystem::path& file) {
  std::ifstream stream(file, std::ios::binary);
  return {std::istreambuf_iterator<char>(stream), {}};
}

}  // namespace eventspace::fuzz
