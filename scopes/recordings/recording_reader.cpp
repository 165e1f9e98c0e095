#include "scopes/recordings/recording_reader.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <utility>

#include "scopes/recordings/part_names.h"
#include "scopes/recordings/recording_file.h"
#include "tuplespace/system/error.h"

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
  explicit State(const std::filesystem::path& of) : file(of) {
    std::error_code error;
    const auto parts =
        std::filesystem::exists(of, error) ? std::vector<recording::PartFile>{} : recording::find_parts(of);
    if (parts.empty()) {
      files.emplace_back(of);
      damage = files.back().damage();
    } else {
      open_parts(parts);
    }
    for (const RecordingFile& one : files) add(one);
    sum_up_ends();
  }

  // A part that cannot be read costs its own events only.
  void open_parts(const std::vector<recording::PartFile>& parts) {
    std::string why;
    std::uint32_t before = 0;
    for (const recording::PartFile& part : parts) {
      if (before != 0) damage.parts += part.part - before - 1;
      before = part.part;
      try {
        RecordingFile opened(part.file);
        check_part(opened, part);
        damage += opened.damage();
        files.push_back(std::move(opened));
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
      const auto kind = header.kind == ChunkKind::events ? Kind::events : Kind::state;
      // A replay relies on the order.
      const std::int64_t read_ns =
          chunks.empty() ? header.read_ns : std::max(chunks.back().read_ns, header.read_ns);
      chunks.push_back({kind, read_ns, header.first_ns, header.last_ns, header.records});
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
  std::vector<RecordingFile> files;
  std::vector<Chunk> chunks;
  std::vector<std::pair<std::size_t, std::size_t>> places;  // of each chunk: its file, and where in that
  std::vector<OwnName> names;
  std::optional<RecordedEnd> end;
  Damage damage;
  bool is_read_to_last_part{true};
};

RecordingReader::RecordingReader(const std::filesystem::path& file) : state_(std::make_unique<State>(file)) {}
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

RecordingReader::Damage& RecordingReader::Damage::operator+=(const Damage& other) noexcept {
  cut += other.cut;
  damaged += other.damaged;
  repeated += other.repeated;
  missing += other.missing;
  parts += other.parts;
  return *this;
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
  if (found.parts > 0) words.push_back(fmt::format("{} parts are missing or cannot be read", found.parts));
  return fmt::format("{}", fmt::join(words, "; "));
}

}  // namespace eventspace
