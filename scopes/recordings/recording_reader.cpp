#include "scopes/recordings/recording_reader.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include <eventspace/error.h>
#include "scopes/recordings/part_names.h"
#include "scopes/recordings/recording_file.h"

namespace eventspace {

using recording::ChunkKind;
using recording::RecordingFile;

bool is_recording(const std::filesystem::path& file) {
  std::error_code error;
  if (std::filesystem::exists(file, error)) return recording::is_recording_file(file);
  const auto parts = recording::find_parts(file);
  return !parts.empty() && recording::is_recording_file(parts.front().file);
}

struct RecordingReader::State {
  State(const std::filesystem::path& of, Check check)
      : file(of), room(check == Check::all ? UINT64_MAX : max_checked) {
    std::error_code error;
    const auto parts =
        std::filesystem::exists(of, error) ? std::vector<recording::PartFile>{} : recording::find_parts(of);
    if (parts.empty()) {
      open(of);
      damage = files.back().damage();
    } else {
      open_parts(parts);
    }
    for (const RecordingFile& one : files) add(one);
    sum_up_ends();
  }

  void open(const std::filesystem::path& one) { take(RecordingFile(one, room)); }
  void take(RecordingFile opened) {
    is_checked = is_checked && opened.size() <= room;
    room -= std::min(room, opened.size());
    files.push_back(std::move(opened));
  }

  // An unreadable part loses only its own events.
  void open_parts(const std::vector<recording::PartFile>& parts) {
    std::string why;
    std::uint32_t before = 0;
    for (const recording::PartFile& part : parts) {
      if (before != 0) damage.parts += part.part - before - 1;
      before = part.part;
      try {
        RecordingFile opened(part.file, room);
        check_part(opened, part);
        damage += opened.damage();
        take(std::move(opened));
        is_read_to_last_part = true;
      } catch (const EnvironmentError& error) {
        if (why.empty()) why = error.what();
        ++damage.parts;
        is_read_to_last_part = false;
      }
    }
    if (files.empty()) throw EnvironmentError(why);
  }

  void check_part(const RecordingFile& opened, const recording::PartFile& part) const {
    const RecordedSession& first = files.empty() ? opened.session() : files.front().session();
    const RecordedSession& found = opened.session();
    if (found.run == first.run && found.part == part.part) return;
    throw ConfigurationError(fmt::format(
        "{} is not a part of the recording of {}; name the files of one recording, or one file alone",
        part.file.string(), (files.empty() ? part.file : files.front().file()).string()));
  }

  void add(const RecordingFile& of) {
    const auto number = static_cast<std::size_t>(&of - files.data());
    for (std::size_t i = 0; i < of.chunks().size(); ++i) {
      const recording::ChunkHeader& header = of.chunks()[i].placed.header;
      const bool is_lost = of.chunks()[i].is_lost;
      const auto kind = header.kind == ChunkKind::events ? Kind::events : Kind::state;
      // A replay relies on the order.
      const std::int64_t read_ns =
          chunks.empty() ? header.read_ns : std::max(chunks.back().read_ns, header.read_ns);
      chunks.push_back({kind, read_ns, header.first_ns, header.last_ns, is_lost ? 0 : header.records, is_lost,
                        is_lost && kind == Kind::events ? header.records : 0});
      places.emplace_back(number, i);
    }
    names.insert(names.end(), of.names().begin(), of.names().end());
  }

  void sum_up_ends() {
    if (is_read_to_last_part) end = files.back().end();
    if (!end) return;
    end->events = 0;
    end->loss = {};
    for (const RecordingFile& one : files) {
      if (!one.end()) continue;
      end->events += one.end()->events;
      end->loss += one.end()->loss;
    }
  }

  std::filesystem::path file;
  std::uint64_t room;  // the number of bytes that may still be read to find damage
  bool is_checked{true};
  std::vector<RecordingFile> files;
  std::vector<Chunk> chunks;
  std::vector<std::pair<std::size_t, std::size_t>> places;  // for each chunk: its file, and the place in it
  std::vector<OwnName> names;
  std::optional<RecordedEnd> end;
  Damage damage;
  bool is_read_to_last_part{true};
};

RecordingReader::RecordingReader(const std::filesystem::path& file, Check check)
    : state_(std::make_unique<State>(file, check)) {}
RecordingReader::~RecordingReader() = default;
RecordingReader::RecordingReader(RecordingReader&& other) noexcept = default;

const std::filesystem::path& RecordingReader::file() const noexcept { return state_->file; }
std::uint64_t RecordingReader::bytes() const noexcept {
  std::uint64_t bytes = 0;
  for (const RecordingFile& file : state_->files) bytes += file.size();
  return bytes;
}
const RecordedSession& RecordingReader::session() const noexcept { return state_->files.front().session(); }
std::int64_t RecordingReader::created_realtime_ns() const noexcept {
  return state_->files.front().header().created_ns;
}
std::vector<std::filesystem::path> RecordingReader::files() const {
  std::vector<std::filesystem::path> files;
  for (const RecordingFile& file : state_->files) files.push_back(file.file());
  return files;
}
const std::optional<RecordedEnd>& RecordingReader::end() const noexcept { return state_->end; }
std::span<const RecordingReader::Chunk> RecordingReader::chunks() const noexcept { return state_->chunks; }
const std::vector<OwnName>& RecordingReader::names() const noexcept { return state_->names; }
const RecordingReader::Damage& RecordingReader::damage() const noexcept { return state_->damage; }
bool RecordingReader::is_being_written() const noexcept { return state_->files.back().is_being_written(); }

View RecordingReader::view(std::size_t place) const {
  const auto [number, chunk] = state_->places.at(place);
  const RecordingFile& file = state_->files[number];
  return file.view(file.chunks()[chunk]);
}

bool RecordingReader::concerns(std::size_t place, std::span<const std::uint32_t> threads, bool or_own) const {
  const auto [number, chunk] = state_->places.at(place);
  const RecordingFile& file = state_->files[number];
  return file.concerns(file.chunks()[chunk], threads, or_own);
}

bool RecordingReader::is_checked() const noexcept { return state_->is_checked; }

std::string RecordingReader::damage_in_words() const { return in_words(state_->damage, session().begun_ns); }

}  // namespace eventspace
