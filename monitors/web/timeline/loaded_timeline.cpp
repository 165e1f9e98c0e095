#include "monitors/web/timeline/loaded_timeline.h"

#include <utility>

#include "monitors/archive/recorder.h"
#include "monitors/export/reading/recorded_events.h"
#include "monitors/watching/recorded_session.h"
#include "monitors/web/timeline/own_folder.h"
#include "monitors/web/timeline/store_sink.h"
#include "pathmaps/sessions/consumer.h"
#include "tuplespace/system/temporary_folder.h"

namespace eventspace::web {
SharedTimeline load_timeline(Watched recording, const std::function<bool(double)>& goes_on,
                             const OperationStore::Limits& limits) {
  StoreSink sink(limits);
  exports::RecordedEvents events(recording, {.directory = temporary_folder(), .progress = goes_on});
  if (!events.run(sink)) return nullptr;
  auto loaded = std::make_shared<LoadedTimeline>();
  loaded->watched = std::move(recording);
  loaded->store = sink.store();
  loaded->totals = sink.totals();
  loaded->recording_began = sink.recording_began();
  loaded->realtime_ns = sink.realtime_ns();
  return loaded;
}

struct SnapshotLoader::State {
  Watched watched;
  Consumer consumer;
  ScopeTree tree;
  OwnFolder folder{};
};

SnapshotLoader::SnapshotLoader(Watched running) {
  Consumer consumer = consumer_of(running);
  ScopeTree tree = Recorder::scope_of(running);
  // The folder in it cannot be moved.
  // NOLINTNEXTLINE(modernize-make-unique)
  state_.reset(new State{std::move(running), std::move(consumer), std::move(tree)});
}

SnapshotLoader::~SnapshotLoader() = default;

SharedTimeline SnapshotLoader::load(const std::function<bool(double)>& goes_on) {
  const std::filesystem::path file = state_->folder.recording();
  {
    Recorder recorder(state_->watched, state_->consumer, state_->tree,
                      {.file = file, .replaces = true, .program = "eventspace web"});
    recorder.run_once();
  }
  return load_timeline(open_recorded(file, ""), goes_on);
}

}  // namespace eventspace::web
