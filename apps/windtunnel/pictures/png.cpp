#include <png.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <memory>
#include <stdexcept>
#include <string>
#include <system_error>

#include "apps/windtunnel/pictures/picture.h"

namespace eventspace::windtunnel {
namespace {

namespace fs = std::filesystem;

[[noreturn]] void fail(const fs::path& file, const std::string& reason) {
  throw std::runtime_error("cannot write the picture '" + file.string() + "': " + reason);
}

std::string advice(int error) {
  switch (error) {
    case ENOSPC:
    case EDQUOT:
      return "free some space there, or write somewhere else";
    case ENOENT:
    case ENOTDIR:
      return "make its directory first, or write somewhere else";
    case EACCES:
    case EPERM:
    case EROFS:
      return "write where you are allowed to";
    default:
      return "try to write somewhere else";
  }
}

[[noreturn]] void fail(const fs::path& file, int error) {
  fail(file, std::generic_category().message(error) + "; " + advice(error));
}

std::vector<std::uint8_t> encode(const Picture& picture, const fs::path& file) {
  png_image image{};
  image.version = PNG_IMAGE_VERSION;
  image.format = PNG_FORMAT_RGB;
  image.width = static_cast<png_uint_32>(picture.width);
  image.height = static_cast<png_uint_32>(picture.height);
  std::vector<std::uint8_t> bytes(PNG_IMAGE_PNG_SIZE_MAX(image));
  png_alloc_size_t size = bytes.size();
  if (png_image_write_to_memory(&image, bytes.data(), &size, 0, picture.rgb.data(), 0, nullptr) == 0)
    fail(file, std::string(image.message));
  bytes.resize(size);
  return bytes;
}

// Returns 0 or an errno. A full disk may be detected only when the file is closed.
int write_bytes(const std::vector<std::uint8_t>& bytes, const fs::path& file) {
  std::unique_ptr<std::FILE, int (*)(std::FILE*)> stream(std::fopen(file.c_str(), "wb"), std::fclose);
  if (!stream) return errno;
  errno = 0;
  const bool is_written = std::fwrite(bytes.data(), 1, bytes.size(), stream.get()) == bytes.size();
  const int error = is_written ? 0 : errno;
  if (std::fclose(stream.release()) != 0 && error == 0) return errno;
  return is_written || error != 0 ? error : EIO;
}

// Devices and pipes are written to directly; a regular file is replaced once the new file is complete.
bool is_replaceable(const fs::path& file) {
  std::error_code ignored;
  const auto type = fs::status(file, ignored).type();
  return type == fs::file_type::regular || type == fs::file_type::not_found;
}

fs::path temporary_name(const fs::path& file) {
  return file.string() + ".part-" + std::to_string(::getpid());
}

}  // namespace

void write_png(const Picture& picture, const fs::path& file) {
  const auto bytes = encode(picture, file);
  const auto target = is_replaceable(file) ? temporary_name(file) : file;
  std::error_code unmoved;
  const int error = write_bytes(bytes, target);
  if (error == 0 && target != file) fs::rename(target, file, unmoved);
  if (error == 0 && !unmoved) return;
  std::error_code ignored;
  if (target != file) fs::remove(target, ignored);
  fail(file, error != 0 ? error : unmoved.value());
}

}  // namespace eventspace::windtunnel
