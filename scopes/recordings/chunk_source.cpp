#include "scopes/recordings/chunk_source.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <utility>

#include <eventspace/error.h>
#include "scopes/recordings/repair_part.h"
#include "tuplespace/system/shared_file.h"
#include "tuplespace/system/transfers.h"

namespace eventspace::recording {

ChunkSource::ChunkSource(std::filesystem::path file)
    : file_(std::move(file)), handle_(::open(file_.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK)) {
  if (!handle_.valid()) throw EnvironmentError::from_errno("cannot open " + file_.string(), errno);
  struct stat status {};
  if (::fstat(handle_.get(), &status) != 0 || !S_ISREG(status.st_mode))
    throw EnvironmentError(file_.string() + " is not a regular file");
  size_ = static_cast<std::uint64_t>(status.st_size);
}

std::vector<std::byte> ChunkSource::read(std::uint64_t at, std::size_t size) const {
  if (at >= size_) return {};
  std::vector<std::byte> bytes(static_cast<std::size_t>(std::min<std::uint64_t>(size, size_ - at)));
  bytes.resize(read_fully(handle_.get(), bytes, at));
  return bytes;
}

std::optional<ChunkHeader> ChunkSource::chunk_at(std::uint64_t at) const {
  const auto found = decode_chunk_header(read(at, ChunkHeader::bytes));
  if (!found || (number_ != 0 && found->file != number_) || at + ChunkHeader::bytes + found->stored > size_)
    return std::nullopt;
  return found;
}

// The chunk with either of its headers at this place that begins at `from` or later.
std::optional<ChunkSource::Found> ChunkSource::chunk_by_mark(std::uint64_t at, std::uint64_t from) const {
  if (const auto header = chunk_at(at)) return Found{{at, *header}};
  const auto last = decode_chunk_header_at_end(read(at, ChunkHeader::bytes));
  if (!last || (number_ != 0 && last->file != number_)) return std::nullopt;
  const std::uint64_t before = length_of(*last) - ChunkHeader::bytes;
  if (before > at || at - before < from) return std::nullopt;
  return Found{{at - before, *last}, true};
}

// Reads block by block. Small blocks come first, as the next chunk is mostly near.
std::optional<ChunkSource::Found> ChunkSource::next_chunk(std::uint64_t from, std::uint64_t most) const {
  constexpr std::size_t mark = 4;
  constexpr std::size_t largest = 1u << 16;
  const std::uint64_t end = from + std::min(most, size_ - std::min(size_, from));
  std::size_t block = 1u << 10;
  for (std::uint64_t at = from; at < end; block = std::min(2 * block, largest)) {
    const auto bytes = read(at, block);
    for (std::size_t place = find_chunk_header(bytes, 0); place + mark <= bytes.size();
         place = find_chunk_header(bytes, place + 1)) {
      if (const auto found = chunk_by_mark(at + place, from)) return found;
    }
    if (bytes.size() < block) return std::nullopt;
    at += block - (mark - 1);  // a mark may begin in this block and end in the next
  }
  return std::nullopt;
}

// The body in the file, repaired if it was damaged; empty if it cannot be repaired.
std::vector<std::byte> ChunkSource::stored_of(const PlacedChunk& chunk, bool& was_damaged) const {
  const ChunkHeader& header = chunk.header;
  auto stored = read(chunk.at + ChunkHeader::bytes, header.stored);
  was_damaged = false;
  if (stored.size() != header.stored) return {};
  if (header.pieces == 0 || checksum_of(checksum_seed, stored) == header.body_sum) return stored;
  was_damaged = true;
  const auto repair =
      read(chunk.at + ChunkHeader::bytes + header.stored, repair_bytes(header.stored, header.pieces));
  const bool is_mended =
      mend(stored, repair, header.pieces) && checksum_of(checksum_seed, stored) == header.body_sum;
  return is_mended ? std::move(stored) : std::vector<std::byte>();
}

std::optional<std::vector<std::byte>> ChunkSource::body_of(const PlacedChunk& chunk) const {
  bool ignored = false;
  return decompress(stored_of(chunk, ignored), chunk.header.size);
}

ChunkSource::Health ChunkSource::health_of(const PlacedChunk& chunk) const {
  const ChunkHeader& header = chunk.header;
  bool was_damaged = false;
  const auto stored = stored_of(chunk, was_damaged);
  // A checksum of the stored body shows that it is right without decompression.
  if (header.pieces == 0) return decompress(stored, header.size) ? Health::whole : Health::lost;
  if (stored.size() != header.stored) return Health::lost;
  if (was_damaged || chunk_at(chunk.at) != header) return Health::repairable;
  std::vector<std::byte> rest;
  write_repair(stored, header.pieces, rest);
  const auto last = encode_at_end(header);
  rest.insert(rest.end(), last.begin(), last.end());
  const auto found = read(chunk.at + ChunkHeader::bytes + header.stored, rest.size());
  const bool is_there = found.size() <= rest.size() && std::equal(found.begin(), found.end(), rest.begin());
  return is_there ? Health::whole : Health::repairable;  // a body that is cut off is reported as such
}

}  // namespace eventspace::recording
