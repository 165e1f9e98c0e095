#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include <eventspace/tuple.h>

/// The parts of a recording's file (docs/recording-format.md): a file header and chunks. A chunk has a
/// header, a compressed body and, since version 3, a repair part (repair_part.h) and a copy of the header, so
/// that the damage of some bytes loses nothing. All numbers are little-endian. Works on memory alone; the
/// bytes read are not trusted.
namespace eventspace::recording {

inline constexpr std::uint32_t format_version = 3;
inline constexpr std::uint32_t oldest_version = 2;  ///< oldest readable version; without repair parts
/// Times lie within this of 0, so that their differences do not overflow.
inline constexpr std::int64_t most_ns = std::int64_t{1} << 61;

struct FileHeader {
  static constexpr std::size_t bytes = 64;

  std::uint32_t version{format_version};
  std::uint64_t file{0};       ///< a random number; chunks have it, too
  std::int64_t created_ns{0};  ///< since 1970
  friend bool operator==(const FileHeader&, const FileHeader&) = default;
};

enum class ChunkKind : std::uint16_t {
  description = 1,  ///< description of the session; the first chunk
  names = 2,        ///< names that processes gave themselves
  events = 3,       ///< events that ended, in the order in which they were read
  state = 4,  ///< the newest event of each trace element and the events in flight; processes and threads
  end = 5,    ///< why recording ended, and totals; only in recordings that ended in an orderly way
  index = 6   ///< headers and places of all chunks before it, and the threads whose events they hold
};

struct ChunkHeader {
  static constexpr std::size_t bytes = 80;
  /// The maximum bytes of a body, compressed or not, and the maximum records of a body.
  static constexpr std::uint32_t max_bytes = 1u << 26;
  static constexpr std::uint32_t max_records = 1u << 18;

  ChunkKind kind{ChunkKind::events};
  std::uint64_t file{0};     ///< number of the file, from its header
  std::uint64_t number{0};   ///< from 0; unique and rising within one file
  std::int64_t read_ns{0};   ///< when it was read; CLOCK_MONOTONIC of the recorder, as are the next two
  std::int64_t first_ns{0};  ///< when the first event in it began; read_ns if the chunk has no events
  std::int64_t last_ns{0};   ///< when the last event in it ended; likewise
  std::uint32_t stored{0};   ///< bytes of the body in the file
  std::uint32_t size{0};     ///< bytes of the body
  std::uint32_t records{0};
  std::uint16_t pieces{0};    ///< of the body, in its repair part; 0: without that and the header at the end
  std::uint64_t body_sum{0};  ///< checksum of the body in the file; 0 without a repair part
  friend bool operator==(const ChunkHeader&, const ChunkHeader&) = default;
};

/// The bytes of a whole chunk in the file.
[[nodiscard]] std::uint64_t length_of(const ChunkHeader& header) noexcept;

/// The end of a file that has an index: leads a reader to the index.
struct Trailer {
  static constexpr std::size_t bytes = 32;

  std::uint64_t file{0};
  std::uint64_t index_at{0};  ///< where the header of the index chunk begins
};

std::array<std::byte, FileHeader::bytes> encode(const FileHeader& header) noexcept;
std::array<std::byte, ChunkHeader::bytes> encode(const ChunkHeader& header) noexcept;
/// The copy of the header that ends a chunk: only its mark differs.
std::array<std::byte, ChunkHeader::bytes> encode_at_end(const ChunkHeader& header) noexcept;
std::array<std::byte, Trailer::bytes> encode(const Trailer& trailer) noexcept;

/// Whether the bytes begin like a recording's file of any version.
bool is_recording(Bytes bytes) noexcept;
// Return nothing if the bytes are not such a header, are damaged, or hold numbers that are not allowed. For a
// file header of another version, only the version is returned.
std::optional<FileHeader> decode_file_header(Bytes bytes) noexcept;
std::optional<ChunkHeader> decode_chunk_header(Bytes bytes) noexcept;
std::optional<ChunkHeader> decode_chunk_header_at_end(Bytes bytes) noexcept;
std::optional<Trailer> decode_trailer(Bytes bytes) noexcept;
/// The version in the bytes of a file header, right or damaged; 0 if there are too few bytes.
std::uint32_t version_in(Bytes bytes) noexcept;

/// The place in `bytes`, from `from` on, where a chunk header or the copy at the end of a chunk may begin. If
/// there is none, the size of `bytes` minus a rest that is shorter than the mark of a header.
std::size_t find_chunk_header(Bytes bytes, std::size_t from) noexcept;

/// Compresses bodies. Reuse one object, as it keeps its memory. Not thread-safe.
class Compressor {
 public:
  /// `level` of zstd, 1 (fast) to 19.
  explicit Compressor(int level);
  ~Compressor();
  Compressor(const Compressor&) = delete;
  Compressor& operator=(const Compressor&) = delete;
  /// Returns the compressed body, with a checksum. The bytes are valid until the next call.
  Bytes compress(Bytes body);

 private:
  struct State;
  State* state_;
  std::vector<std::byte> compressed_;
};

/// Returns the body of `size` bytes, or nothing if `stored` is damaged or another body.
std::optional<std::vector<std::byte>> decompress(Bytes stored, std::size_t size);

}  // namespace eventspace::recording
