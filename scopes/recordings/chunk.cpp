#include "scopes/recordings/chunk.h"

#include <zstd.h>

#include <algorithm>
#include <cstring>
#include <new>

#include "scopes/recordings/repair_part.h"
#include "tuplespace/system/shared_file.h"

namespace eventspace::recording {
namespace {

constexpr std::array<unsigned char, 8> file_mark{'E', 'V', 'T', 'S', 'P', 'R', 'E', 'C'};
// The marks of the two headers of a chunk differ in the last octet.
constexpr std::array<unsigned char, 4> chunk_mark{0xe5, 'C', 'H', 'K'};
constexpr std::array<unsigned char, 4> chunk_end_mark{0xe5, 'C', 'H', 'E'};
constexpr std::array<unsigned char, 8> trailer_mark{0xe5, 'I', 'N', 'D', 'E', 'X', 'A', 'T'};

/// Writes fields one after another, and then the checksum of all of them.
template <std::size_t size>
class Writer {
 public:
  template <std::size_t length>
  void mark(const std::array<unsigned char, length>& octets) noexcept {
    std::memcpy(bytes_.data() + at_, octets.data(), length);
    at_ += length;
  }
  template <class Number>
  void number(Number value) noexcept {
    for (std::size_t i = 0; i < sizeof(Number); ++i)
      bytes_[at_++] = static_cast<std::byte>(static_cast<std::uint64_t>(value) >> 8 * i);
  }
  std::array<std::byte, size> sealed() noexcept {
    const std::uint64_t checksum = checksum_of(checksum_seed, std::span(bytes_).first(size - 8));
    at_ = size - 8;
    number(checksum);
    return bytes_;
  }

 private:
  std::array<std::byte, size> bytes_{};
  std::size_t at_{0};
};

class Reader {
 public:
  explicit Reader(Bytes bytes) noexcept : bytes_(bytes) {}
  template <std::size_t length>
  bool mark(const std::array<unsigned char, length>& octets) noexcept {
    const bool is_there =
        bytes_.size() >= at_ + length && std::memcmp(bytes_.data() + at_, octets.data(), length) == 0;
    at_ += length;
    return is_there;
  }
  template <class Number>
  Number number() noexcept {
    std::uint64_t value = 0;
    for (std::size_t i = 0; i < sizeof(Number); ++i)
      value |= std::to_integer<std::uint64_t>(bytes_[at_++]) << 8 * i;
    return static_cast<Number>(value);
  }
  [[nodiscard]] bool is_sealed(std::size_t size) noexcept {
    if (bytes_.size() < size) return false;
    Reader seal(bytes_.subspan(size - 8));
    return seal.number<std::uint64_t>() == checksum_of(checksum_seed, bytes_.first(size - 8));
  }

 private:
  Bytes bytes_;
  std::size_t at_{0};
};

}  // namespace

std::array<std::byte, FileHeader::bytes> encode(const FileHeader& header) noexcept {
  Writer<FileHeader::bytes> writer;
  writer.mark(file_mark);
  writer.number(header.version);
  writer.number(static_cast<std::uint32_t>(FileHeader::bytes));
  writer.number(header.file);
  writer.number(header.created_ns);
  return writer.sealed();
}

namespace {

std::array<std::byte, ChunkHeader::bytes> encode_with(const std::array<unsigned char, 4>& mark,
                                                      const ChunkHeader& header) noexcept {
  Writer<ChunkHeader::bytes> writer;
  writer.mark(mark);
  writer.number(static_cast<std::uint16_t>(header.kind));
  writer.number(header.pieces);
  writer.number(header.file);
  writer.number(header.number);
  writer.number(header.read_ns);
  writer.number(header.first_ns);
  writer.number(header.last_ns);
  writer.number(header.stored);
  writer.number(header.size);
  writer.number(header.records);
  writer.number(std::uint32_t{0});
  writer.number(header.body_sum);
  return writer.sealed();
}

}  // namespace

std::array<std::byte, ChunkHeader::bytes> encode(const ChunkHeader& header) noexcept {
  return encode_with(chunk_mark, header);
}

std::array<std::byte, ChunkHeader::bytes> encode_at_end(const ChunkHeader& header) noexcept {
  return encode_with(chunk_end_mark, header);
}

std::uint64_t length_of(const ChunkHeader& header) noexcept {
  const std::uint64_t plain = ChunkHeader::bytes + std::uint64_t{header.stored};
  if (header.pieces == 0) return plain;
  return plain + repair_bytes(header.stored, header.pieces) + ChunkHeader::bytes;
}

std::array<std::byte, Trailer::bytes> encode(const Trailer& trailer) noexcept {
  Writer<Trailer::bytes> writer;
  writer.mark(trailer_mark);
  writer.number(trailer.file);
  writer.number(trailer.index_at);
  return writer.sealed();
}

bool is_recording(Bytes bytes) noexcept { return Reader(bytes).mark(file_mark); }

std::optional<FileHeader> decode_file_header(Bytes bytes) noexcept {
  Reader reader(bytes);
  if (bytes.size() < FileHeader::bytes || !reader.mark(file_mark)) return std::nullopt;
  if (!reader.is_sealed(FileHeader::bytes)) return std::nullopt;
  FileHeader header{.version = reader.number<std::uint32_t>()};
  if (header.version < oldest_version || header.version > format_version) return header;
  if (reader.number<std::uint32_t>() != FileHeader::bytes) return std::nullopt;
  header.file = reader.number<std::uint64_t>();
  header.created_ns = reader.number<std::int64_t>();
  return header;
}

std::uint32_t version_in(Bytes bytes) noexcept {
  constexpr std::size_t at = file_mark.size();
  return bytes.size() < at + 4 ? 0 : Reader(bytes.subspan(at)).number<std::uint32_t>();
}

namespace {

std::optional<ChunkHeader> decode_with(const std::array<unsigned char, 4>& mark, Bytes bytes) noexcept {
  Reader reader(bytes);
  if (bytes.size() < ChunkHeader::bytes || !reader.mark(mark) || !reader.is_sealed(ChunkHeader::bytes))
    return std::nullopt;
  ChunkHeader header;
  const auto kind = reader.number<std::uint16_t>();
  header.kind = static_cast<ChunkKind>(kind);
  header.pieces = reader.number<std::uint16_t>();
  header.file = reader.number<std::uint64_t>();
  header.number = reader.number<std::uint64_t>();
  header.read_ns = reader.number<std::int64_t>();
  header.first_ns = reader.number<std::int64_t>();
  header.last_ns = reader.number<std::int64_t>();
  header.stored = reader.number<std::uint32_t>();
  header.size = reader.number<std::uint32_t>();
  header.records = reader.number<std::uint32_t>();
  (void)reader.number<std::uint32_t>();
  header.body_sum = reader.number<std::uint64_t>();
  const auto is_time = [](std::int64_t ns) { return ns >= -most_ns && ns <= most_ns; };
  const bool is_possible = is_time(header.read_ns) && is_time(header.first_ns) && is_time(header.last_ns) &&
                           kind >= static_cast<std::uint16_t>(ChunkKind::description) &&
                           kind <= static_cast<std::uint16_t>(ChunkKind::index) &&
                           header.stored <= ChunkHeader::max_bytes && header.size <= ChunkHeader::max_bytes &&
                           header.records <= ChunkHeader::max_records && header.pieces <= max_pieces;
  return is_possible ? std::optional(header) : std::nullopt;
}

}  // namespace

std::optional<ChunkHeader> decode_chunk_header(Bytes bytes) noexcept {
  return decode_with(chunk_mark, bytes);
}

std::optional<ChunkHeader> decode_chunk_header_at_end(Bytes bytes) noexcept {
  const auto header = decode_with(chunk_end_mark, bytes);
  return header && header->pieces > 0 ? header : std::nullopt;
}

std::optional<Trailer> decode_trailer(Bytes bytes) noexcept {
  Reader reader(bytes);
  if (bytes.size() < Trailer::bytes || !reader.mark(trailer_mark) || !reader.is_sealed(Trailer::bytes))
    return std::nullopt;
  Trailer trailer;
  trailer.file = reader.number<std::uint64_t>();
  trailer.index_at = reader.number<std::uint64_t>();
  return trailer;
}

std::size_t find_chunk_header(Bytes bytes, std::size_t from) noexcept {
  const auto mark = std::as_bytes(std::span(chunk_mark)).first(3);
  const auto last = [](std::byte octet) {
    return octet == std::byte{chunk_mark.back()} || octet == std::byte{chunk_end_mark.back()};
  };
  auto next = bytes.begin() + static_cast<std::ptrdiff_t>(std::min(from, bytes.size()));
  while (true) {
    next = std::search(next, bytes.end(), mark.begin(), mark.end());
    if (bytes.end() - next < static_cast<std::ptrdiff_t>(chunk_mark.size())) break;
    if (last(*(next + 3))) return static_cast<std::size_t>(next - bytes.begin());
    ++next;
  }
  return bytes.size() < chunk_mark.size() ? 0 : bytes.size() - (chunk_mark.size() - 1);
}

struct Compressor::State {
  ZSTD_CCtx* context;
};

Compressor::Compressor(int level) : state_(new State{ZSTD_createCCtx()}) {
  if (state_->context == nullptr) {
    delete state_;
    throw std::bad_alloc();
  }
  ZSTD_CCtx_setParameter(state_->context, ZSTD_c_compressionLevel, level);
  ZSTD_CCtx_setParameter(state_->context, ZSTD_c_checksumFlag, 1);
}

Compressor::~Compressor() {
  ZSTD_freeCCtx(state_->context);
  delete state_;
}

Bytes Compressor::compress(Bytes body) {
  compressed_.resize(ZSTD_compressBound(body.size()));
  const std::size_t size =
      ZSTD_compress2(state_->context, compressed_.data(), compressed_.size(), body.data(), body.size());
  if (ZSTD_isError(size) != 0) throw std::bad_alloc();  // the only error that bytes in memory can cause
  return Bytes(compressed_).first(size);
}

std::optional<std::vector<std::byte>> decompress(Bytes stored, std::size_t size) {
  if (size > ChunkHeader::max_bytes || ZSTD_getFrameContentSize(stored.data(), stored.size()) != size ||
      ZSTD_findFrameCompressedSize(stored.data(), stored.size()) != stored.size())
    return std::nullopt;
  std::vector<std::byte> body(size);
  const std::size_t done = ZSTD_decompress(body.data(), body.size(), stored.data(), stored.size());
  return ZSTD_isError(done) == 0 && done == size ? std::optional(std::move(body)) : std::nullopt;
}

}  // namespace eventspace::recording
