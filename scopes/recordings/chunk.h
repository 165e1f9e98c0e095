#pragma once

// Private to scopes/.

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "tuplespace/tuple.h"

/// The parts of a recording's file (docs/recording-format.md): a file header and chunks, each a header and a
/// compressed body, and since version 3 a repair part (repair_part.h) and the header again, so that damage of
/// some bytes costs nothing. All numbers are little-endian. Works on memory alone; what is read may come from
/// anywhere.
namespace eventspace::recording {

inline constexpr std::uint32_t format_version = 3;
inline constexpr std::uint32_t oldest_version = 2;  ///< that is read; its chunks have no repair part
/// Times lie within this of 0, so that differences of them do not overflow.
inline constexpr std::int64_t most_ns = std::int64_t{1} << 61;

struct FileHeader {
  static constexpr std::size_t bytes = 64;

  std::uint32_t version{format_version};
  std::uint64_t file{0};       ///< a random number; chunks have it, too
  std::int64_t created_ns{0};  ///< since 1970
  friend bool operator==(const FileHeader&, const FileHeader&) = default;
};

enum class ChunkKind : std::uint16_t {
  description = 1,  ///< of the session; the first chunk
  names = 2,        ///< names that processes gave themselves
  events = 3,       ///< events that ended, in the order in which they were read
  state = 4,        ///< the newest event of each trace element and those in flight; processes and threads
  end = 5,          ///< why recording ended, and totals; only of recordings that ended in an orderly way
  index = 6         ///< the headers of all chunks before it, where they are, and whose events they hold
};

struct ChunkHeader {
  static constexpr std::size_t bytes = 80;
  /// The most bytes of a body, compressed or not, and the most records of one.
  static constexpr std::uint32_t most_bytes = 1u << 26;
  static constexpr std::uint32_t most_records = 1u << 18;

  ChunkKind kind{ChunkKind::events};
  std::uint64_t file{0};     ///< that of the file header
  std::uint64_t number{0};   ///< from 0; of one file, each number occurs once and they rise
  std::int64_t read_ns{0};   ///< when it was read; CLOCK_MONOTONIC of the recorder, as are the next two
  std::int64_t first_ns{0};  ///< when the first event in it began; of a chunk without events: read_ns
  std::int64_t last_ns{0};   ///< when the last event in it ended; likewise
  std::uint32_t stored{0};   ///< bytes of the body in the file
  std::uint32_t size{0};     ///< bytes of the body
  std::uint32_t records{0};
  std::uint16_t pieces{0};    ///< of the body, in its repair part; 0: it has none, and no header at its end
  std::uint64_t body_sum{0};  ///< checksum of the body in the file; without a repair part 0
  friend bool operator==(const ChunkHeader&, const ChunkHeader&) = default;
};

/// The bytes of a whole chunk in the file.
[[nodiscard]] std::uint64_t length_of(const ChunkHeader& header) noexcept;

/// What ends a file that has an index, so that a reader finds it.
struct Trailer {
  static constexpr std::size_t bytes = 32;

  std::uint64_t file{0};
  std::uint64_t index_at{0};  ///< where the header of the index chunk begins
};

std::array<std::byte, FileHeader::bytes> encode(const FileHeader& header) noexcept;
std::array<std::byte, ChunkHeader::bytes> encode(const ChunkHeader& header) noexcept;
/// The header again, as it ends its chunk: the same but for its mark.
std::array<std::byte, ChunkHeader::bytes> encode_at_end(const ChunkHeader& header) noexcept;
std::array<std::byte, Trailer::bytes> encode(const Trailer& trailer) noexcept;

/// Whether the bytes begin as a recording's file does, of whatever version.
bool is_recording(Bytes bytes) noexcept;
// None if the bytes are no such header, are damaged, or hold numbers that are not allowed. A file header of
// another version is returned with that version alone.
std::optional<FileHeader> decode_file_header(Bytes bytes) noexcept;
std::optional<ChunkHeader> decode_chunk_header(Bytes bytes) noexcept;
std::optional<ChunkHeader> decode_chunk_header_at_end(Bytes bytes) noexcept;
std::optional<Trailer> decode_trailer(Bytes bytes) noexcept;
/// The version that the bytes of a file header name, right or damaged; 0 if there are too few.
std::uint32_t version_in(Bytes bytes) noexcept;

/// Where in `bytes`, at or behind `from`, a chunk header may begin, or the one at the end of a chunk; the
/// size of `bytes` less what is shorter than the mark of a header if nowhere.
std::size_t find_chunk_header(Bytes bytes, std::size_t from) noexcept;

/// Compresses bodies and decompresses them. One object is used again and again, as it keeps its memory. Not
/// thread-safe.
class Compressor {
 public:
  /// `level` of zstd, 1 (fast) to 19.
  explicit Compressor(int level);
  ~Compressor();
  Compressor(const Compressor&) = delete;
  Compressor& operator=(const Compressor&) = delete;
  /// Returns the body compressed, with a checksum. The bytes are valid until the next call.
  Bytes compress(Bytes body);

 private:
  struct State;
  State* state_;
  std::vector<std::byte> compressed_;
};

/// Returns the body of `size` bytes; none if `stored` is damaged or another body.
std::optional<std::vector<std::byte>> decompress(Bytes stored, std::size_t size);

}  // namespace eventspace::recording
