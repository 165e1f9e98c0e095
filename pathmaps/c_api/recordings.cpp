#include <eventspace/recording.h>

#include <memory>
#include <string>
#include <utility>

#include "pathmaps/c_api/calls.h"
#include "pathmaps/c_api/events.h"

using namespace eventspace;         // NOLINT(google-build-using-namespace): the functions are C
using namespace eventspace::c_api;  // NOLINT(google-build-using-namespace)

struct es_recording {
  explicit es_recording(const char* file)
      : recording(std::in_place, file),
        session(recording.get()->session()),
        pathmap(recording.get()->pathmap()),
        ending(recording.get()->ending().value_or("")) {}
  OfThisProcess<Recording> recording;
  const std::string session;
  const std::string pathmap;
  const std::string ending;
};

struct es_reader {
  explicit es_reader(Recording::Reader of) : reader(std::in_place, std::move(of)) {}
  OfThisProcess<Recording::Reader> reader;
};

namespace eventspace::c_api {
namespace {

constinit thread_local ThreadText damage_text;  // NOLINT(misc-use-internal-linkage)

const Recording& need_recording(const es_recording* recording) {
  return need_here(need(recording, "recording").recording, "the recording");
}

}  // namespace
}  // namespace eventspace::c_api

es_status es_recording_open(const char* file, es_recording** recording) {
  return make_handle(recording, "recording",
                     [&] { return std::make_unique<es_recording>(need_text(file, "file")); });
}
void es_recording_free(es_recording* recording) { delete recording; }

const char* es_recording_session(const es_recording* recording) {
  return recording != nullptr ? recording->session.c_str() : "";
}
const char* es_recording_pathmap(const es_recording* recording) {
  return recording != nullptr ? recording->pathmap.c_str() : "";
}
const char* es_recording_ending(const es_recording* recording) {
  return recording != nullptr ? recording->ending.c_str() : "";
}
int64_t es_recording_begin_ns(const es_recording* recording) {
  return guarded_value<int64_t>(0, [&] { return need_recording(recording).begin_ns(); });
}
int64_t es_recording_end_ns(const es_recording* recording) {
  return guarded_value<int64_t>(0, [&] { return need_recording(recording).end_ns(); });
}

const char* es_recording_damage(const es_recording* recording, uint64_t* lost_records) {
  if (lost_records != nullptr) *lost_records = 0;
  damage_text.set("");
  (void)guarded([&] {
    const Recording::Damage damage = need_recording(recording).damage();
    if (lost_records != nullptr) *lost_records = damage.lost_records;
    damage_text.set(damage.text);
    return ES_OK;
  });
  return damage_text.c_str();
}

es_status es_recording_read(const es_recording* recording, int64_t begin_ns, int64_t end_ns,
                            es_reader** reader) {
  return make_handle(reader, "reader", [&] {
    const TimeRange range{.begin_ns = begin_ns, .end_ns = end_ns};
    return std::make_unique<es_reader>(need_recording(recording).events(range));
  });
}
void es_reader_free(es_reader* reader) { delete reader; }

es_status es_reader_next(es_reader* reader, es_events** events) {
  if (events != nullptr) *events = nullptr;
  return guarded([&] {
    need(events, "events");
    std::optional<Events> piece = need_here(need(reader, "reader").reader, "the reader").next();
    if (!piece) return fail(ES_END, "there are no more events");
    *events = std::make_unique<es_events>(std::move(*piece)).release();
    return ES_OK;
  });
}
