#include "scopes/recordings/recording_format.h"

#include <algorithm>
#include <utility>

#include "scopes/pulls/view_codec.h"
#include "scopes/recordings/record_columns.h"
#include "scopes/recordings/recording_layout.h"

namespace eventspace::recording {
namespace {

constexpr std::size_t length_bytes = 4;

void write_length(std::size_t length, std::byte* to) {
  for (std::size_t i = 0; i < length_bytes; ++i) to[i] = static_cast<std::byte>(length >> 8 * i);
}

std::size_t read_length(Bytes bytes) {
  std::size_t length = 0;
  for (std::size_t i = 0; i < length_bytes; ++i) length |= std::to_integer<std::size_t>(bytes[i]) << 8 * i;
  return length;
}

View without_records(const View& view) {
  View rest;
  rest.account() = view.account();
  rest.positions.clear();  // positions of the recording scope, of no use to others
  rest.levels.clear();
  rest.names.clear();  // have their own chunks
  return rest;
}

}  // namespace

void write_view_body(const View& view, std::vector<std::byte>& body) {
  body.assign(length_bytes, {});
  wire::append(body, without_records(view));
  write_length(body.size() - length_bytes, body.data());
  write_columns(view.records.whole(), body);
}

std::optional<View> read_view_body(Bytes body) {
  if (body.size() < length_bytes || read_length(body) > body.size() - length_bytes) return std::nullopt;
  const Bytes rest = body.subspan(length_bytes, read_length(body));
  auto view = read_view(rest);
  auto records = read_columns(body.subspan(length_bytes + rest.size()), ChunkHeader::max_records);
  if (!view || !records || view->record_count() != 0) return std::nullopt;
  view->records = Records(std::move(*records));
  return view;
}

void write_names(std::span<const OwnName> names, std::vector<std::byte>& body) {
  body.clear();
  wire::append_as<wire::RecordedNames>(body, names);
}

std::optional<std::vector<OwnName>> read_names(Bytes body) {
  return wire::decoded<std::vector<OwnName>, wire::RecordedNames>(body);
}

void write_description(const RecordedSession& session, std::vector<std::byte>& body) {
  body = wire::encoded(session);
}

std::optional<RecordedSession> read_description(Bytes body) { return wire::decoded<RecordedSession>(body); }

void write_end(const RecordedEnd& end, std::vector<std::byte>& body) { body = wire::encoded(end); }

std::optional<RecordedEnd> read_end(Bytes body) { return wire::decoded<RecordedEnd>(body); }

namespace {

constexpr std::size_t number_bytes = sizeof(std::uint64_t);
constexpr std::size_t entry_bytes = number_bytes + ChunkHeader::bytes;

void write_number(std::uint64_t number, std::vector<std::byte>& body) {
  for (std::size_t i = 0; i < number_bytes; ++i) body.push_back(static_cast<std::byte>(number >> 8 * i));
}

std::uint64_t read_number(Bytes bytes) {
  std::uint64_t number = 0;
  for (std::size_t i = 0; i < number_bytes; ++i) number |= std::to_integer<std::uint64_t>(bytes[i]) << 8 * i;
  return number;
}

}  // namespace

void write_index(std::span<const PlacedChunk> chunks, Bytes threads, std::vector<std::byte>& body) {
  body.clear();
  body.reserve(number_bytes + chunks.size() * entry_bytes + threads.size());
  write_number(chunks.size(), body);
  for (const PlacedChunk& chunk : chunks) {
    write_number(chunk.at, body);
    const auto header = encode(chunk.header);
    body.insert(body.end(), header.begin(), header.end());
  }
  body.insert(body.end(), threads.begin(), threads.end());
}

std::optional<Index> read_index(Bytes body) {
  if (body.size() < number_bytes) return std::nullopt;
  const std::uint64_t chunks = read_number(body);
  body = body.subspan(number_bytes);
  if (chunks > body.size() / entry_bytes) return std::nullopt;
  Index index;
  index.chunks.reserve(chunks);
  for (std::uint64_t i = 0; i < chunks; ++i, body = body.subspan(entry_bytes)) {
    const auto header = decode_chunk_header(body.subspan(number_bytes));
    if (!header) return std::nullopt;
    index.chunks.push_back({read_number(body), *header});
  }
  const auto of_events = [](const PlacedChunk& chunk) { return chunk.header.kind == ChunkKind::events; };
  const auto lists = static_cast<std::size_t>(std::ranges::count_if(index.chunks, of_events));
  if (!body.empty()) index.threads = ReadThreadLists::read(body, lists);
  if (!body.empty() && !index.threads) return std::nullopt;
  return index;
}

}  // namespace eventspace::recording
