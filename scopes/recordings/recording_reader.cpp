#include "scopes/recordings/recording_reader.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <utility>

#include "scopes/recordings/recording_format.h"
#include "tuplespace/system/error.h"
#include "tuplespace/system/mapping.h"

namespace eventspace {

using recording::ChunkHeader;
using recording::ChunkKind;
using recording::FileHeader;
using recording::PlacedChunk;
using recording::Trailer;

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

bool is_recording(const std::filesystem::path& file) {
  const FileHandle handle = open_file(file);
  return handle.valid() && size_of_regular(handle.get()) &&
         recording::is_recording(read_at(handle.get(), 0, FileHeader::bytes));
}

struct RecordingReader::State {
  explicit State(const std::filesystem::path& of) : file(of), handle(open_file(of)) {
    if (!handle.valid()) throw EnvironmentError::from_errno("cannot open " + file.string(), errno);
    const auto bytes = size_of_regular(handle.get());
    if (!bytes) throw EnvironmentError(file.string() + " is not a regular file");
    size = *bytes;
    read_header();
    const std::uint64_t described = read_description();
    if (!read_index(described)) scan(described);
    read_names();
  }

  [[noreturn]] void refuse(const std::string& why) const {
    throw EnvironmentError(fmt::format("{} {}", file.string(), why));
  }

  void read_header() {
    const auto bytes = read_at(handle.get(), 0, FileHeader::bytes);
    const auto found = recording::decode_file_header(bytes);
    if (!recording::is_recording(bytes)) refuse("is not a recording of `eventspace record`");
    if (!found) refuse("is damaged: its first 64 bytes are no header of a recording");
    if (found->version != recording::format_version) {
      refuse(fmt::format("has version {} of the format of recordings; this program reads version {}",
                         found->version, recording::format_version));
    }
    header = *found;
  }

  // Returns where the next chunk begins.
  std::uint64_t read_description() {
    const auto chunk = chunk_at(FileHeader::bytes);
    const auto body =
        chunk && chunk->kind == ChunkKind::description ? body_of({FileHeader::bytes, *chunk}) : std::nullopt;
    auto described = body ? recording::read_description(*body) : std::nullopt;
    if (!described) refuse("is damaged: it does not say what was recorded");
    session = std::move(*described);
    return FileHeader::bytes + ChunkHeader::bytes + chunk->stored;
  }

  /// The whole chunk at this place; none if there is none.
  [[nodiscard]] std::optional<ChunkHeader> chunk_at(std::uint64_t at) const {
    const auto found = recording::decode_chunk_header(read_at(handle.get(), at, ChunkHeader::bytes));
    if (!found || found->file != header.file || at + ChunkHeader::bytes + found->stored > size)
      return std::nullopt;
    return found;
  }

  [[nodiscard]] std::optional<std::vector<std::byte>> body_of(const PlacedChunk& chunk) const {
    const auto stored = read_at(handle.get(), chunk.at + ChunkHeader::bytes, chunk.header.stored);
    if (stored.size() != chunk.header.stored) return std::nullopt;
    return recording::decompress(stored, chunk.header.size);
  }

  bool read_index(std::uint64_t from) {
    if (size < from + Trailer::bytes) return false;
    const auto trailer =
        recording::decode_trailer(read_at(handle.get(), size - Trailer::bytes, Trailer::bytes));
    if (!trailer || trailer->file != header.file) return false;
    const auto index = chunk_at(trailer->index_at);
    if (!index || index->kind != ChunkKind::index) return false;
    const auto body = body_of({trailer->index_at, *index});
    const auto listed = body ? recording::read_index(*body) : std::nullopt;
    if (!listed) return false;
    const auto is_whole = [&](const PlacedChunk& chunk) {
      return chunk.header.file == header.file && chunk.at < size &&
             ChunkHeader::bytes + chunk.header.stored <= size - chunk.at;
    };
    if (!std::ranges::all_of(*listed, is_whole)) return false;
    for (const PlacedChunk& chunk : *listed) take(chunk);
    return true;
  }

  void scan(std::uint64_t at) {
    next_number = 1;
    while (at < size) {
      const auto chunk = chunk_at(at);
      if (!chunk) {
        const auto next = next_chunk(at + 1);
        if (is_trailer(at) && !next) return;
        if (!next) {
          damage.cut = size - at;
          return;
        }
        ++damage.damaged;
        at = *next;
        continue;
      }
      take({at, *chunk});
      at += ChunkHeader::bytes + chunk->stored;
    }
  }

  [[nodiscard]] bool is_trailer(std::uint64_t at) const {
    return size - at == Trailer::bytes &&
           recording::decode_trailer(read_at(handle.get(), at, Trailer::bytes)).has_value();
  }

  // Behind a damaged place: looks for the mark of a chunk, block by block.
  [[nodiscard]] std::optional<std::uint64_t> next_chunk(std::uint64_t from) const {
    constexpr std::size_t block = 1u << 16;
    while (from < size) {
      const auto bytes = read_at(handle.get(), from, block);
      const std::size_t found = recording::find_chunk_header(bytes, 0);
      if (found + 3 >= bytes.size() && bytes.size() < block) return std::nullopt;
      if (chunk_at(from + found)) return from + found;
      from += std::max<std::size_t>(found, 1) + (found + 4 <= bytes.size() ? 1 : 0);
    }
    return std::nullopt;
  }

  void take(const PlacedChunk& chunk) {
    const std::uint64_t number = chunk.header.number;
    if (number < next_number && number != 0) {
      ++damage.repeated;
      return;
    }
    if (number > next_number) damage.missing += number - next_number;
    next_number = number + 1;
    if (chunk.header.kind == ChunkKind::events || chunk.header.kind == ChunkKind::state) {
      const auto kind = chunk.header.kind == ChunkKind::events ? Kind::events : Kind::state;
      // A replay relies on the order.
      const std::int64_t read_ns =
          chunks.empty() ? chunk.header.read_ns : std::max(chunks.back().read_ns, chunk.header.read_ns);
      chunks.push_back({kind, read_ns, chunk.header.first_ns, chunk.header.last_ns, chunk.header.records});
      placed.push_back(chunk);
    } else if (chunk.header.kind == ChunkKind::names) {
      of_names.push_back(chunk);
    } else if (chunk.header.kind == ChunkKind::end) {
      if (const auto body = body_of(chunk)) end = recording::read_end(*body);
    }
  }

  // A small file could hold more names than there is memory.
  void read_names() {
    std::size_t room = std::size_t{1} << 26;
    for (const PlacedChunk& chunk : of_names) {
      const auto body = chunk.header.size <= room ? body_of(chunk) : std::nullopt;
      auto found = body ? recording::read_names(*body) : std::nullopt;
      room -= std::min<std::size_t>(room, chunk.header.size);
      if (!found) {
        ++damage.damaged;
        continue;
      }
      names.insert(names.end(), std::make_move_iterator(found->begin()),
                   std::make_move_iterator(found->end()));
    }
  }

  std::filesystem::path file;
  FileHandle handle;
  std::uint64_t size{0};
  FileHeader header;
  RecordedSession session;
  std::vector<Chunk> chunks;
  std::vector<PlacedChunk> placed;  // where they are
  std::vector<PlacedChunk> of_names;
  std::vector<OwnName> names;
  std::optional<RecordedEnd> end;
  std::uint64_t next_number{0};
  Damage damage;
};

RecordingReader::RecordingReader(const std::filesystem::path& file) : state_(std::make_unique<State>(file)) {}
RecordingReader::~RecordingReader() = default;
RecordingReader::RecordingReader(RecordingReader&& other) noexcept = default;

const std::filesystem::path& RecordingReader::file() const noexcept { return state_->file; }
std::uint64_t RecordingReader::bytes() const noexcept { return state_->size; }
const RecordedSession& RecordingReader::session() const noexcept { return state_->session; }
std::int64_t RecordingReader::created_realtime_ns() const noexcept { return state_->header.created_ns; }
const std::optional<RecordedEnd>& RecordingReader::end() const noexcept { return state_->end; }
std::span<const RecordingReader::Chunk> RecordingReader::chunks() const noexcept { return state_->chunks; }
const std::vector<OwnName>& RecordingReader::names() const noexcept { return state_->names; }
const RecordingReader::Damage& RecordingReader::damage() const noexcept { return state_->damage; }

bool RecordingReader::is_being_written() const noexcept {
  const FileHandle another = open_file(state_->file);  // the lock belongs to the open file
  return another.valid() && ::flock(another.get(), LOCK_SH | LOCK_NB) != 0 && errno == EWOULDBLOCK;
}

View RecordingReader::view(std::size_t place) const {
  const PlacedChunk& chunk = state_->placed.at(place);
  const auto header = state_->chunk_at(chunk.at);  // the index may lie
  const auto body = header == chunk.header ? state_->body_of(chunk) : std::nullopt;
  auto view = body ? recording::read_view_body(*body) : std::nullopt;
  if (!view || view->records.size() != chunk.header.records) {
    state_->refuse(fmt::format("is damaged: {} bytes from byte {} on are no chunk",
                               ChunkHeader::bytes + chunk.header.stored, chunk.at));
  }
  return std::move(*view);
}

std::string RecordingReader::damage_in_words() const {
  const Damage& found = state_->damage;
  std::vector<std::string> words;
  if (found.cut > 0) {
    words.push_back(
        fmt::format("its last {} bytes are no whole chunk, as when the recorder was killed or the "
                    "disk was full",
                    found.cut));
  }
  if (found.damaged > 0) words.push_back(fmt::format("{} damaged places were left out", found.damaged));
  if (found.repeated > 0)
    words.push_back(fmt::format("{} chunks that came twice were left out", found.repeated));
  if (found.missing > 0) words.push_back(fmt::format("{} chunks are missing", found.missing));
  return fmt::format("{}", fmt::join(words, "; "));
}

}  // namespace eventspace
