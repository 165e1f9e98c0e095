// Reads any bytes as the file of a recording, and as the bodies of its chunks: the first byte selects which.
#include "scopes/recordings/recording_format.h"

#include <algorithm>
#include <cstdlib>

#include <eventspace/error.h>
#include "scopes/recordings/record_columns.h"
#include "scopes/recordings/recording_reader.h"
#include "scopes/recordings/recording_writer.h"
#include "scopes/recordings/repair_part.h"
#include "scopes/recordings/replay.h"
#include "tests/fuzz/fuzz.h"
#include "tests/scopes/scope_talk.h"

namespace {

using namespace eventspace;

enum class Input : char {
  file = 'f',
  columns = 'c',
  view = 'v',
  names = 'n',
  description = 'd',
  end = 'e',
  index = 'i',
  repair = 'r'
};

fuzz::ScratchFile& scratch() {
  static fuzz::ScratchFile one("recording");
  return one;
}

// An opened file can be read to its end, and played at any time.
void read_file(Bytes bytes) {
  try {
    RecordingReader reader(scratch().with(fuzz::text_of(bytes)));
    const test::PlainNames plain;
    const std::int64_t begun = reader.session().begun_ns;
    const std::size_t chunks = reader.chunks().size();
    Replay replay(std::move(reader), plain, {});
    for (std::size_t i = 0; i < chunks; ++i) {
      if (replay.chunk(i) == nullptr) std::abort();
    }
    for (const std::int64_t now : {begun, replay.end_ns(), std::int64_t{0}}) {
      replay.set_now_ns(now);
      if (replay.newest() == nullptr) std::abort();
    }
  } catch (const EnvironmentError&) {
  }
}

// The first byte is the number of the others that are a body; the rest is its repair part.
void mend(Bytes bytes) {
  if (bytes.empty()) return;
  const std::size_t size = std::min(std::to_integer<std::size_t>(bytes[0]), bytes.size() - 1);
  bytes = bytes.subspan(1);
  std::vector<std::byte> stored(bytes.begin(), bytes.begin() + static_cast<std::ptrdiff_t>(size));
  const auto pieces = static_cast<std::uint16_t>(1 + size % recording::max_pieces);
  (void)recording::mend(stored, bytes.subspan(stored.size()), pieces);
}

std::string with(Input input, std::span<const std::byte> bytes) {
  return std::string(1, static_cast<char>(input)) + fuzz::text_of(bytes);
}

View some_view() {
  View made;
  for (std::uint64_t i = 1; i <= 8; ++i) made.records.push_back(test::event(i, i * 100, i * 100 + 50));
  made.processes.emplace_back().process = 0;
  made.names.push_back({OwnNameOf::probe, 3, "iteration"});
  return made;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  const Bytes bytes = fuzz::bytes_of(data, size).subspan(1);
  switch (static_cast<Input>(data[0])) {
    case Input::file:
      read_file(bytes);
      break;
    case Input::columns:
      if (const auto records = read_columns(bytes, 1000); records && records->size() > 1000) std::abort();
      break;
    case Input::view:
      (void)recording::read_view_body(bytes);
      break;
    case Input::names:
      (void)recording::read_names(bytes);
      break;
    case Input::description:
      (void)recording::read_description(bytes);
      break;
    case Input::end:
      (void)recording::read_end(bytes);
      break;
    case Input::repair:
      mend(bytes);
      break;
    default:
      (void)recording::read_index(bytes);
  }
  return 0;
}

std::vector<std::string> eventspace::fuzz::seeds() {
  const test::PlainNames plain;
  const std::filesystem::path written = scratch().with("");
  {
    RecordingWriter writer({.file = written,
                            .session = {"gas", "", "n1", "0.1", 5, 6},
                            .names = &plain,
                            .replaces = true,
                            .collects = std::chrono::nanoseconds(0)});
    writer.add_events(some_view(), 1000);
    writer.add_state(some_view(), 1500);
    writer.add_events(some_view(), 2000);
    writer.end({.reason = "end"});
  }
  std::vector<std::string> seeds{static_cast<char>(Input::file) + content_of(written)};
  std::vector<std::byte> body;
  const View made = some_view();
  write_columns(made.records.whole(), body);
  seeds.push_back(with(Input::columns, body));
  recording::write_view_body(made, body);
  seeds.push_back(with(Input::view, body));
  recording::write_names(made.names, body);
  seeds.push_back(with(Input::names, body));
  recording::write_description({"gas", "pathmap: 1\n", "n1", "0.1", 5, 6}, body);
  seeds.push_back(with(Input::description, body));
  recording::write_end({.reason = "end"}, body);
  seeds.push_back(with(Input::end, body));
  recording::write_index(std::vector{recording::PlacedChunk{64, {}}}, {}, body);
  seeds.push_back(with(Input::index, body));
  const std::vector<std::byte> some(60, std::byte{7});
  std::vector<std::byte> repairable{std::byte{60}};
  repairable.insert(repairable.end(), some.begin(), some.end());
  recording::write_repair(some, 61, repairable);
  seeds.push_back(with(Input::repair, repairable));
  return seeds;
}
