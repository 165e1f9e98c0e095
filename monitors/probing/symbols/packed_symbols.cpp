#include "monitors/probing/symbols/packed_symbols.h"

#ifdef EVENTSPACE_HAS_LZMA
#include <lzma.h>
#endif

namespace eventspace {

#ifdef EVENTSPACE_HAS_LZMA

namespace {

constexpr std::size_t max_unpacked = std::size_t{64} << 20;
constexpr std::uint64_t max_memory = std::uint64_t{64} << 20;

}  // namespace

bool can_unpack_symbols() noexcept { return true; }

std::optional<std::vector<std::byte>> unpacked_symbols(Bytes packed) {
  ::lzma_stream stream = LZMA_STREAM_INIT;
  if (::lzma_stream_decoder(&stream, max_memory, 0) != LZMA_OK) return std::nullopt;
  std::vector<std::byte> out;
  stream.next_in = reinterpret_cast<const std::uint8_t*>(packed.data());
  stream.avail_in = packed.size();
  ::lzma_ret state = LZMA_OK;
  while (state == LZMA_OK && out.size() < max_unpacked) {
    constexpr std::size_t step = std::size_t{1} << 18;
    const std::size_t have = out.size();
    out.resize(have + step);
    stream.next_out = reinterpret_cast<std::uint8_t*>(out.data() + have);
    stream.avail_out = step;
    // All input is present from the beginning; without progress the decoder returns LZMA_BUF_ERROR.
    state = ::lzma_code(&stream, LZMA_FINISH);
    out.resize(have + step - stream.avail_out);
  }
  ::lzma_end(&stream);
  if (state != LZMA_STREAM_END) return std::nullopt;
  return out;
}

#else

bool can_unpack_symbols() noexcept { return false; }
std::optional<std::vector<std::byte>> unpacked_symbols(Bytes /*packed*/) { return std::nullopt; }

#endif

}  // namespace eventspace
