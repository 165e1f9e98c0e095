#include "scopes/recordings/recording_file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <utility>

#include <eventspace/error.h>
#include "scopes/recordings/recording_format.h"
#include "tuplespace/system/mapping.h"

namespace eventspace::recording {
namespace {

// If the begin of a file is damaged, the first good chunk is searched up to here.
constexpr std::uint64_t max_damage_at_begin = std::uint64_t{1} << 20;

// The lock belongs to the open file.
bool is_locked(const std::filesystem::path& file) noexcept {
  const FileHandle another(::open(file.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
  return another.valid() && ::flock(another.get(), LOCK_SH | LOCK_NB) != 0 && errno == EWOULDBLOCK;
}

}  // namespace

bool is_recording_file(const std::filesystem::path& file) {
  try {
    const ChunkSource source(file);
    return is_recording(source.read(0, FileHeader::bytes)) || source.next_chunk(0, max_damage_at_begin);
  } catch (const EnvironmentError&) {
    return false;
  }
}

RecordingFile::RecordingFile(const std::filesystem::path& of, std::uint64_t max_checked)
    : source_(of), was_being_written_(is_locked(of)) {
  read_header();
  damage_of_header_ = damage_;
  auto index = index_in_trailer();
  if (fits(index)) {
    take_index(std::move(*index));
  } else {
    scan();
  }
  check(source_.size() <= max_checked);
  date_gaps();
  read_descriptions();
  read_names();
  read_end();
}

void RecordingFile::refuse(const std::string& why) const {
  throw EnvironmentError(fmt::format("{} {}", file().string(), why));
}

// Everything in the header is also elsewhere: its number in each chunk, and its time in the description.
void RecordingFile::read_header() {
  const auto bytes = source_.read(0, FileHeader::bytes);
  const auto is_read = [](std::uint32_t version) {
    return version >= oldest_version && version <= format_version;
  };
  const auto refuse_version = [&](std::uint32_t version) {
    refuse(fmt::format("has version {} of the format of recordings; this program reads versions {} and {}",
                       version, oldest_version, format_version));
  };
  if (const auto found = decode_file_header(bytes)) {
    if (!is_read(found->version)) refuse_version(found->version);
    header_ = *found;
  } else if (const auto first = source_.next_chunk(0, max_damage_at_begin)) {
    header_.file = first->chunk.header.file;
    damage_.add({file(), 0, FileHeader::bytes, true});
  } else {
    if (!is_recording(bytes)) refuse("is not a recording of `eventspace record`");
    if (bytes.size() == FileHeader::bytes && !is_read(version_in(bytes))) refuse_version(version_in(bytes));
    refuse("is damaged: its first 64 bytes are not the header of a recording");
  }
  source_.set_number(header_.file);
}

std::optional<Index> RecordingFile::index_at(std::uint64_t at) const {
  const auto header = source_.chunk_at(at);
  if (!header || header->kind != ChunkKind::index) return std::nullopt;
  const auto body = source_.body_of({at, *header});
  return body ? recording::read_index(*body) : std::nullopt;
}

std::optional<Index> RecordingFile::index_in_trailer() const {
  if (size() < FileHeader::bytes + Trailer::bytes) return std::nullopt;
  const auto trailer = decode_trailer(source_.read(size() - Trailer::bytes, Trailer::bytes));
  if (!trailer || trailer->file != header_.file) return std::nullopt;
  auto index = index_at(trailer->index_at);
  // The index does not list itself, and is checked like the other chunks.
  if (index) index->chunks.push_back({trailer->index_at, *source_.chunk_at(trailer->index_at)});
  return index;
}

bool RecordingFile::fits(const std::optional<Index>& index) const {
  const auto is_whole = [&](const PlacedChunk& chunk) {
    return chunk.header.file == header_.file && chunk.at < size() &&
           ChunkHeader::bytes + chunk.header.stored <= size() - chunk.at;
  };
  return index && std::ranges::all_of(index->chunks, is_whole);
}

void RecordingFile::take_index(Index index) {
  for (const PlacedChunk& chunk : index.chunks) take(chunk);
  threads_ = std::move(index.threads);
}

// Reads chunk after chunk. A chunk with a damaged header is found by the header at its end.
void RecordingFile::scan() {
  for (std::uint64_t at = FileHeader::bytes; at < size();) {
    PlacedChunk chunk{at, {}};
    if (const auto header = source_.chunk_at(at)) {
      chunk.header = *header;
    } else {
      const auto found = source_.next_chunk(at);
      if (!found) return look_behind(at);
      chunk = found->chunk;
      if (chunk.at > at) take_gap(at, chunk.at - at);
    }
    if (chunk.header.kind == ChunkKind::index && end_with_index(chunk)) return;
    take(chunk);
    at = chunk.at + length_of(chunk.header);
  }
  // An end without an index after it was cut there, unless the index would have been too large.
  constexpr std::uint64_t max_in_an_index = 500'000;
  if (of_end_ && !was_being_written_ && next_number_ < max_in_an_index)
    damage_.add({file(), size(), Trailer::bytes, true});
}

// The trailer is damaged and does not lead to an index; but the index, which has more than a scan finds, is
// whole.
bool RecordingFile::end_with_index(const PlacedChunk& chunk) {
  auto index = index_at(chunk.at);
  const std::uint64_t end = chunk.at + length_of(chunk.header);
  if (!fits(index) || end + Trailer::bytes < size()) return false;
  index->chunks.push_back(chunk);
  chunks_.clear();
  for (auto* const some : {&of_names_, &descriptions_, &others_}) some->clear();
  of_end_.reset();
  next_number_ = next_list_ = 0;
  is_behind_gap_ = false;
  damage_ = damage_of_header_;
  damage_.add({file(), end, Trailer::bytes, true});
  take_index(std::move(*index));
  return true;
}

// No chunk begins here or later. A file that is being written sometimes ends with a partial chunk.
void RecordingFile::look_behind(std::uint64_t at) {
  const bool is_trailer =
      size() - at == Trailer::bytes && decode_trailer(source_.read(at, Trailer::bytes)).has_value();
  if (!is_trailer && !was_being_written_) damage_.cut = size() - at;
}

void RecordingFile::take_gap(std::uint64_t at, std::uint64_t bytes) {
  Chunk gap{{at, {}}, 0, true};
  gap.placed.header.stored = static_cast<std::uint32_t>(std::min<std::uint64_t>(bytes, UINT32_MAX));
  chunks_.push_back(gap);
  is_behind_gap_ = true;
  damage_.add({.file = file(), .at = at, .bytes = bytes});
}

void RecordingFile::take(const PlacedChunk& chunk) {
  const std::uint64_t number = chunk.header.number;
  const std::size_t list = chunk.header.kind == ChunkKind::events ? next_list_++ : 0;
  if (number < next_number_ && number != 0) {
    ++damage_.repeated;
    return;
  }
  if (number > next_number_ && !std::exchange(is_behind_gap_, false)) {
    damage_.missing += number - next_number_;
    damage_.has_unknown_losses = true;
    chunks_.push_back({{chunk.at, {}}, 0, true});
  }
  is_behind_gap_ = false;
  next_number_ = number + 1;
  if (chunk.header.kind == ChunkKind::events || chunk.header.kind == ChunkKind::state) {
    chunks_.push_back({chunk, list});
  } else {
    take_known(chunk);
  }
}

void RecordingFile::take_known(const PlacedChunk& chunk) {
  if (chunk.header.kind == ChunkKind::names) of_names_.push_back(chunk);
  if (chunk.header.kind == ChunkKind::description) descriptions_.push_back(chunk);
  if (chunk.header.kind == ChunkKind::index) others_.push_back(chunk);
  if (chunk.header.kind == ChunkKind::end) of_end_ = chunk;
}

// Returns whether it can be read. Unreadable descriptions and indexes are not a loss, since their contents
// are also elsewhere.
bool RecordingFile::check(const PlacedChunk& chunk) {
  const ChunkHeader& header = chunk.header;
  const auto health = source_.health_of(chunk);
  if (health == ChunkSource::Health::whole) return true;
  const bool is_spare = header.kind == ChunkKind::index || header.kind == ChunkKind::description;
  DamagedPlace place{file(), chunk.at, length_of(header)};
  place.is_repaired = health == ChunkSource::Health::repairable || is_spare;
  if (!place.is_repaired) {
    place.records = header.kind == ChunkKind::events ? header.records : 0;
    place.first_ns = header.first_ns;
    place.last_ns = header.last_ns;
  }
  damage_.add(std::move(place));
  return health == ChunkSource::Health::repairable;
}

void RecordingFile::check(bool reads_all) {
  if (!reads_all) return;
  for (Chunk& chunk : chunks_) chunk.is_lost = chunk.is_lost || !check(chunk.placed);
  for (const auto* const some : {&of_names_, &descriptions_, &others_})
    for (const PlacedChunk& chunk : *some) (void)check(chunk);
  if (of_end_) (void)check(*of_end_);
}

// The contents of a gap were read between the chunks before and after it.
void RecordingFile::date_gaps() {
  const auto is_gap = [](const Chunk& chunk) { return chunk.is_lost && chunk.placed.header.file == 0; };
  std::optional<std::int64_t> before;
  for (std::size_t i = 0; i < chunks_.size(); ++i) {
    ChunkHeader& header = chunks_[i].placed.header;
    if (!is_gap(chunks_[i])) {
      before = header.read_ns;
      continue;
    }
    const auto next =
        std::find_if_not(chunks_.begin() + static_cast<std::ptrdiff_t>(i), chunks_.end(), is_gap);
    const auto behind = next == chunks_.end() ? before : std::optional(next->placed.header.read_ns);
    header.first_ns = before.value_or(behind.value_or(0));
    header.read_ns = header.last_ns = std::max(header.first_ns, behind.value_or(0));
  }
}

void RecordingFile::read_descriptions() {
  for (const PlacedChunk& chunk : descriptions_) {
    const auto body = source_.body_of(chunk);
    auto described = body ? read_description(*body) : std::nullopt;
    if (!described) continue;
    session_ = std::move(*described);
    if (header_.created_ns == 0) header_.created_ns = session_.realtime_ns + session_.begun_ns;
    return;
  }
  refuse("is damaged: the description of the recorded session is missing");
}

// A small file could hold more names than fit in memory.
void RecordingFile::read_names() {
  std::size_t room = std::size_t{1} << 26;
  for (const PlacedChunk& chunk : of_names_) {
    const auto body = chunk.header.size <= room ? source_.body_of(chunk) : std::nullopt;
    auto found = body ? recording::read_names(*body) : std::nullopt;
    room -= std::min<std::size_t>(room, chunk.header.size);
    if (!found || found->size() > max_names - names_.size()) {
      const bool is_said = std::ranges::any_of(
          damage_.places, [&](const DamagedPlace& place) { return place.at == chunk.at; });
      if (!is_said) damage_.add({file(), chunk.at, length_of(chunk.header), false, 0});
      continue;
    }
    names_.insert(names_.end(), std::make_move_iterator(found->begin()),
                  std::make_move_iterator(found->end()));
  }
}

// An end that exists but cannot be read is still an end.
void RecordingFile::read_end() {
  damage_.ends_early = !of_end_ && !was_being_written_;
  if (!of_end_) return;
  const auto body = source_.body_of(*of_end_);
  end_ = body ? recording::read_end(*body) : std::nullopt;
  if (end_) return;
  end_ = RecordedEnd{.reason = "why it ended cannot be read", .ended_ns = of_end_->header.read_ns};
  for (const Chunk& chunk : chunks_)
    if (chunk.placed.header.kind == ChunkKind::events) end_->events += chunk.placed.header.records;
}

bool RecordingFile::is_being_written() const noexcept { return is_locked(file()); }

View RecordingFile::view(const Chunk& chunk) const {
  const auto& [at, header] = chunk.placed;
  // In an old file the index may be wrong; later versions have a checksum of the body in the header.
  const bool may_be_read = !chunk.is_lost && (header.pieces > 0 || source_.chunk_at(at) == header);
  const auto body = may_be_read ? source_.body_of(chunk.placed) : std::nullopt;
  auto view = body ? read_view_body(*body) : std::nullopt;
  if (!view || view->records.size() != header.records) {
    refuse(fmt::format("is damaged: {} bytes from byte {} on cannot be read", length_of(header), at));
  }
  return std::move(*view);
}

bool RecordingFile::concerns(const Chunk& chunk, std::span<const std::uint32_t> threads, bool or_own) const {
  const bool is_state = chunk.placed.header.kind == ChunkKind::state;
  const bool is_gap = chunk.is_lost && chunk.placed.header.file == 0;
  return is_state || is_gap || !threads_ || threads_->concerns(chunk.list, threads, or_own);
}

}  // namespace eventspace::recording
