#include "scopes/recordings/recording_file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <utility>

#include "scopes/recordings/recording_format.h"
#include "tuplespace/system/error.h"
#include "tuplespace/system/mapping.h"

namespace eventspace::recording {
namespace {

FileHandle open_file(const std::filesystem::path& file) {
  return FileHandle(::open(file.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
}

// Returns the bytes that the file has there, at most `size`.
std::vector<std::byte> read_at(int descriptor, std::uint64_t at, std::size_t size) {
  std::vector<std::byte> bytes(size);
  std::size_t done = 0;
  while (done < size) {
    const ssize_t got = ::pread(descriptor, bytes.data() + done, size - done, static_cast<off_t>(at + done));
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) break;
    done += static_cast<std::size_t>(got);
  }
  bytes.resize(done);
  return bytes;
}

std::optional<std::uint64_t> size_of_regular(int descriptor) {
  struct stat status {};
  if (::fstat(descriptor, &status) != 0 || !S_ISREG(status.st_mode)) return std::nullopt;
  return static_cast<std::uint64_t>(status.st_size);
}

}  // namespace

bool is_recording_file(const std::filesystem::path& file) {
  const FileHandle handle = open_file(file);
  return handle.valid() && size_of_regular(handle.get()) &&
         is_recording(read_at(handle.get(), 0, FileHeader::bytes));
}

RecordingFile::RecordingFile(const std::filesystem::path& of) : file_(of), handle_(open_file(of)) {
  if (!handle_.valid()) throw EnvironmentError::from_errno("cannot open " + file_.string(), errno);
  const auto bytes = size_of_regular(handle_.get());
  if (!bytes) throw EnvironmentError(file_.string() + " is not a regular file");
  size_ = *bytes;
  read_header();
  const std::uint64_t described = read_description();
  if (!read_index(described)) scan(described);
  read_names();
}

void RecordingFile::refuse(const std::string& why) const {
  throw EnvironmentError(fmt::format("{} {}", file_.string(), why));
}

void RecordingFile::read_header() {
  const auto bytes = read_at(handle_.get(), 0, FileHeader::bytes);
  const auto found = decode_file_header(bytes);
  if (!is_recording(bytes)) refuse("is not a recording of `eventspace record`");
  if (!found) refuse("is damaged: its first 64 bytes are no header of a recording");
  if (found->version != format_version) {
    refuse(fmt::format("has version {} of the format of recordings; this program reads version {}",
                       found->version, format_version));
  }
  header_ = *found;
}

// Returns where the next chunk begins.
std::uint64_t RecordingFile::read_description() {
  const auto chunk = chunk_at(FileHeader::bytes);
  const auto body =
      chunk && chunk->kind == ChunkKind::description ? body_of({FileHeader::bytes, *chunk}) : std::nullopt;
  auto described = body ? recording::read_description(*body) : std::nullopt;
  if (!described) refuse("is damaged: it does not say what was recorded");
  session_ = std::move(*described);
  return FileHeader::bytes + ChunkHeader::bytes + chunk->stored;
}

// The whole chunk at this place; none if there is none.
std::optional<ChunkHeader> RecordingFile::chunk_at(std::uint64_t at) const {
  const auto found = decode_chunk_header(read_at(handle_.get(), at, ChunkHeader::bytes));
  if (!found || found->file != header_.file || at + ChunkHeader::bytes + found->stored > size_)
    return std::nullopt;
  return found;
}

std::optional<std::vector<std::byte>> RecordingFile::body_of(const PlacedChunk& chunk) const {
  const auto stored = read_at(handle_.get(), chunk.at + ChunkHeader::bytes, chunk.header.stored);
  if (stored.size() != chunk.header.stored) return std::nullopt;
  return decompress(stored, chunk.header.size);
}

std::optional<Index> RecordingFile::index_in_trailer() const {
  const auto trailer = decode_trailer(read_at(handle_.get(), size_ - Trailer::bytes, Trailer::bytes));
  if (!trailer || trailer->file != header_.file) return std::nullopt;
  const auto chunk = chunk_at(trailer->index_at);
  if (!chunk || chunk->kind != ChunkKind::index) return std::nullopt;
  const auto body = body_of({trailer->index_at, *chunk});
  return body ? recording::read_index(*body) : std::nullopt;
}

bool RecordingFile::read_index(std::uint64_t from) {
  auto index = size_ < from + Trailer::bytes ? std::nullopt : index_in_trailer();
  if (!index) return false;
  const auto is_whole = [&](const PlacedChunk& chunk) {
    return chunk.header.file == header_.file && chunk.at < size_ &&
           ChunkHeader::bytes + chunk.header.stored <= size_ - chunk.at;
  };
  if (!std::ranges::all_of(index->chunks, is_whole)) return false;
  for (const PlacedChunk& chunk : index->chunks) take(chunk);
  threads_ = std::move(index->threads);
  return true;
}

void RecordingFile::scan(std::uint64_t at) {
  next_number_ = 1;
  while (at < size_) {
    const auto chunk = chunk_at(at);
    if (!chunk) {
      const auto next = next_chunk(at + 1);
      if (is_trailer(at) && !next) return;
      if (!next) {
        damage_.cut = size_ - at;
        return;
      }
      ++damage_.damaged;
      at = *next;
      continue;
    }
    take({at, *chunk});
    at += ChunkHeader::bytes + chunk->stored;
  }
}

bool RecordingFile::is_trailer(std::uint64_t at) const {
  return size_ - at == Trailer::bytes &&
         decode_trailer(read_at(handle_.get(), at, Trailer::bytes)).has_value();
}

// Behind a damaged place: looks for the mark of a chunk, block by block. Reads each byte about once, however
// many marks there are that begin no chunk; small blocks come first, as the next chunk is mostly near.
std::optional<std::uint64_t> RecordingFile::next_chunk(std::uint64_t from) const {
  constexpr std::size_t mark = 4;
  constexpr std::size_t largest = 1u << 16;
  for (std::size_t block = 1u << 10; from < size_; block = std::min(2 * block, largest)) {
    const auto bytes = read_at(handle_.get(), from, block);
    for (std::size_t found = find_chunk_header(bytes, 0); found + mark <= bytes.size();
         found = find_chunk_header(bytes, found + 1)) {
      if (chunk_at(from + found)) return from + found;
    }
    if (bytes.size() < block) return std::nullopt;
    from += block - (mark - 1);  // a mark may begin in this block and end in the next
  }
  return std::nullopt;
}

void RecordingFile::take(const PlacedChunk& chunk) {
  const std::size_t list = chunk.header.kind == ChunkKind::events ? next_list_++ : 0;
  const std::uint64_t number = chunk.header.number;
  if (number < next_number_ && number != 0) {
    ++damage_.repeated;
    return;
  }
  if (number > next_number_) damage_.missing += number - next_number_;
  next_number_ = number + 1;
  if (chunk.header.kind == ChunkKind::events || chunk.header.kind == ChunkKind::state) {
    chunks_.push_back({chunk, list});
  } else if (chunk.header.kind == ChunkKind::names) {
    of_names_.push_back(chunk);
  } else if (chunk.header.kind == ChunkKind::end) {
    if (const auto body = body_of(chunk)) end_ = read_end(*body);
  }
}

// A small file could hold more names than there is memory.
void RecordingFile::read_names() {
  std::size_t room = std::size_t{1} << 26;
  for (const PlacedChunk& chunk : of_names_) {
    const auto body = chunk.header.size <= room ? body_of(chunk) : std::nullopt;
    auto found = body ? recording::read_names(*body) : std::nullopt;
    room -= std::min<std::size_t>(room, chunk.header.size);
    if (!found || found->size() > most_names - names_.size()) {
      ++damage_.damaged;
      continue;
    }
    names_.insert(names_.end(), std::make_move_iterator(found->begin()),
                  std::make_move_iterator(found->end()));
  }
}

bool RecordingFile::is_being_written() const noexcept {
  const FileHandle another = open_file(file_);  // the lock belongs to the open file
  return another.valid() && ::flock(another.get(), LOCK_SH | LOCK_NB) != 0 && errno == EWOULDBLOCK;
}

View RecordingFile::view(const Chunk& chunk) const {
  const auto& [at, header] = chunk.placed;
  const auto found = chunk_at(at);  // the index may lie
  const auto body = found == header ? body_of(chunk.placed) : std::nullopt;
  auto view = body ? read_view_body(*body) : std::nullopt;
  if (!view || view->records.size() != header.records) {
    refuse(fmt::format("is damaged: {} bytes from byte {} on are no chunk",
                       ChunkHeader::bytes + header.stored, at));
  }
  return std::move(*view);
}

bool RecordingFile::concerns(const Chunk& chunk, std::span<const std::uint32_t> threads, bool or_own) const {
  const bool is_state = chunk.placed.header.kind == ChunkKind::state;
  return is_state || !threads_ || threads_->concerns(chunk.list, threads, or_own);
}

}  // namespace eventspace::recording
