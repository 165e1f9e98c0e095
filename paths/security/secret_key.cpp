#include "paths/security/secret_key.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <utility>
#include <zmq.hpp>

#include <eventspace/error.h>
#include "paths/security/shared_context.h"
#include "tuplespace/system/mapping.h"

namespace eventspace {
namespace {

constexpr std::size_t page_bytes = 4096;
constexpr std::size_t text_bytes = 40;

unsigned char* secret_page() {
  void* const page = ::mmap(nullptr, page_bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (page == MAP_FAILED) throw EnvironmentError::from_errno("no memory for a key", errno);
  (void)::madvise(page, page_bytes, MADV_DONTDUMP);
  (void)::madvise(page, page_bytes, MADV_WIPEONFORK);
  (void)::mlock(page, page_bytes);  // not swapped out, where the limit of locked memory allows it
  return static_cast<unsigned char*>(page);
}

void free_secret(unsigned char* page) noexcept {
  if (page == nullptr) return;
  ::explicit_bzero(page, SecretKey::size);
  ::munmap(page, page_bytes);
}

}  // namespace

SecretKey::SecretKey(std::span<const unsigned char, size> bytes) : page_(secret_page()) {
  std::memcpy(page_, bytes.data(), size);
}
SecretKey::~SecretKey() { free_secret(page_); }
SecretKey::SecretKey(SecretKey&& other) noexcept : page_(std::exchange(other.page_, nullptr)) {}
SecretKey& SecretKey::operator=(SecretKey&& other) noexcept {
  std::swap(page_, other.page_);
  return *this;
}

CurveKeys copy_of(const CurveKeys& keys) { return {keys.open, SecretKey(keys.secret.bytes())}; }

CurveKeys make_curve_keys() {
  std::array<char, text_bytes + 1> open{};
  std::array<char, text_bytes + 1> secret{};
  const auto lock = SharedContext::pause_making();
  if (zmq_curve_keypair(open.data(), secret.data()) != 0)
    throw EnvironmentError(
        "this ZeroMQ has no CURVE, so keys cannot be made; install a ZeroMQ built with libsodium, or set "
        "`security: none` in the pathmap");
  PublicKey secret_bytes{};
  zmq_z85_decode(secret_bytes.data(), secret.data());
  CurveKeys keys{key_of_text({open.data(), text_bytes}, "a new key"), SecretKey(secret_bytes)};
  ::explicit_bzero(secret.data(), secret.size());
  ::explicit_bzero(secret_bytes.data(), secret_bytes.size());
  return keys;
}

CurveKeys curve_keys_of(SecretKey secret) {
  std::string text = text_of(secret.bytes());
  std::array<char, text_bytes + 1> open{};
  const auto lock = SharedContext::pause_making();
  const int failed = zmq_curve_public(open.data(), text.c_str());
  overwrite(text);
  if (failed != 0) throw EnvironmentError("this ZeroMQ has no CURVE, so keys cannot be used");
  return {key_of_text({open.data(), text_bytes}, "a public key"), std::move(secret)};
}

std::string text_of(std::span<const unsigned char, SecretKey::size> key) {
  std::string text(text_bytes + 1, '\0');
  zmq_z85_encode(text.data(), key.data(), key.size());
  text.resize(text_bytes);
  return text;
}

PublicKey key_of_text(std::string_view text, std::string_view what) {
  PublicKey key{};
  std::string copy(text);
  const bool fine = text.size() == text_bytes && zmq_z85_decode(key.data(), copy.c_str()) != nullptr;
  overwrite(copy);
  if (!fine) throw ConfigurationError(fmt::format("{} is not a key: expected 40 characters of Z85", what));
  return key;
}

void overwrite(std::string& secret) noexcept { ::explicit_bzero(secret.data(), secret.size()); }

// See core(5): the filter selects the kinds of memory that are written, also to a program that collects core
// files, which the size limit does not affect.
void keep_out_of_core_files() noexcept {
  const FileHandle filter(::open("/proc/self/coredump_filter", O_WRONLY | O_CLOEXEC));
  if (filter.valid()) (void)!::write(filter.get(), "0", 1);
}

}  // namespace eventspace
