#include "monitors/questions/loss_spans.h"

#include <algorithm>

#include "scopes/recordings/recording_reader.h"

namespace eventspace {
namespace {

// Consistent with Replay, which counts losses after the pull before.
std::vector<LossSpans::Span> spans_of(const RecordingReader& recording) {
  std::vector<LossSpans::Span> spans;
  std::int64_t before = recording.session().begun_ns - 1;
  for (const RecordingReader::Chunk& chunk : recording.chunks()) {
    spans.push_back({std::min(before + 1, chunk.read_ns), chunk.read_ns});
    if (chunk.kind == RecordingReader::Kind::events) before = chunk.read_ns;
  }
  return spans;
}

}  // namespace

LossSpans::LossSpans(const RecordingReader& recording) : LossSpans(spans_of(recording)) {}

std::uint64_t LossSpans::take(std::int64_t since_ns, std::int64_t until_ns, std::uint64_t lost) {
  if (since_ns >= until_ns_) reaching_ = 0;
  if (lost == 0) return reaching_;
  reaching_ += lost;
  for (const Span& span : spans_)
    if (span.end_ns > since_ns && span.begin_ns <= until_ns) until_ns_ = std::max(until_ns_, span.end_ns);
  return reaching_;
}

}  // namespace eventspace
