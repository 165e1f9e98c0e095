#pragma once

#include <cstdint>
#include <filesystem>

namespace eventspace::bench {

/// Writes a recording as if the application of `pathmap` had run, with `events` events at two million a
/// second, and a state of everything each second. Each thread does an operation on each of its paths in turn,
/// which is recorded at all points of the pathmap; so the recording has a few more events. The same arguments
/// make the same bytes except the random number of the file. Replaces `file`. Blocks for about a second per
/// three million events, and takes the memory of a RecordingWriter. Throws like RecordingWriter and
/// require_plan.
void make_run(const std::filesystem::path& pathmap, const std::filesystem::path& file, std::uint64_t events);

}  // namespace eventspace::bench
