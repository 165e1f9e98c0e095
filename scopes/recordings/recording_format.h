#pragma once

#include <optional>

#include "paths/views/view.h"
#include "scopes/recordings/chunk.h"
#include "scopes/recordings/recording.h"
#include "scopes/recordings/thread_lists.h"

/// Bodies of the chunks of a recording. The bytes read are not trusted.
namespace eventspace::recording {

/// The body of a chunk of events or of a state: the length of the rest of the view (4 bytes), the rest of the
/// view as a server sends it (scopes/pulls/view_layout.h), and the columns of the records.
void write_view_body(const View& view, std::vector<std::byte>& body);
std::optional<View> read_view_body(Bytes body);

inline constexpr std::size_t max_names = std::size_t{1} << 20;  ///< in a recording; more are damage

void write_names(std::span<const OwnName> names, std::vector<std::byte>& body);
std::optional<std::vector<OwnName>> read_names(Bytes body);

void write_description(const RecordedSession& session, std::vector<std::byte>& body);
std::optional<RecordedSession> read_description(Bytes body);

void write_end(const RecordedEnd& end, std::vector<std::byte>& body);
std::optional<RecordedEnd> read_end(Bytes body);

/// A chunk in the file.
struct PlacedChunk {
  std::uint64_t at{0};  ///< where its header begins
  ChunkHeader header;
};
/// `threads`: the lists of the chunks of events; may be empty.
void write_index(std::span<const PlacedChunk> chunks, Bytes threads, std::vector<std::byte>& body);
struct Index {
  std::vector<PlacedChunk> chunks;
  std::optional<ReadThreadLists> threads;
};
std::optional<Index> read_index(Bytes body);

}  // namespace eventspace::recording
