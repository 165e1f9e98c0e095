#include "monitors/export/sinks/otf2_events.h"

#include <memory>

#include <eventspace/error.h>
#include "monitors/export/sinks/otf2_definitions.h"

namespace eventspace::exports {
namespace {

// A row: kind, time since the previous event (modulo 2^64), the numbers of the kind, and number, type and
// bits of each attribute.
enum Kind : std::uint64_t {
  entering,
  leaving,
  sending,
  receiving,
  collective_begin,
  collective_end,
  measurement
};

/// Writes the rows of one location as events.
class RowWriter {
 public:
  explicit RowWriter(OTF2_EvtWriter* writer) : writer_(writer), attributes_(OTF2_AttributeList_New()) {
    if (attributes_ == nullptr)
      throw EnvironmentError("cannot write the OTF2 archive: no memory for attributes");
  }

  void write(NumberStreams::Row row) {
    time_ += row[1];
    check_otf2(write_event(row[0], row.subspan(2)), "an event");
  }

 private:
  struct Delete {
    void operator()(OTF2_AttributeList* list) const { OTF2_AttributeList_Delete(list); }
  };

  OTF2_ErrorCode write_event(std::uint64_t kind, NumberStreams::Row of) {
    switch (kind) {
      case entering:
        return OTF2_EvtWriter_Enter(writer_, list_of(of.subspan(1)), time_, number(of[0]));
      case leaving:
        return OTF2_EvtWriter_Leave(writer_, nullptr, time_, number(of[0]));
      case sending:
        return OTF2_EvtWriter_MpiSend(writer_, nullptr, time_, number(of[0]), number(of[1]), number(of[2]),
                                      of[3]);
      case receiving:
        return OTF2_EvtWriter_MpiRecv(writer_, nullptr, time_, number(of[0]), number(of[1]), number(of[2]),
                                      of[3]);
      case collective_begin:
        return OTF2_EvtWriter_MpiCollectiveBegin(writer_, nullptr, time_);
      case collective_end:
        return OTF2_EvtWriter_MpiCollectiveEnd(writer_, nullptr, time_, static_cast<OTF2_CollectiveOp>(of[0]),
                                               number(of[1]), number(of[2]), of[3], 0);
      default:
        return OTF2_EvtWriter_MeasurementOnOff(writer_, list_of(of.subspan(1)), time_,
                                               static_cast<OTF2_MeasurementMode>(of[0]));
    }
  }
  static std::uint32_t number(std::uint64_t number) { return static_cast<std::uint32_t>(number); }

  OTF2_AttributeList* list_of(NumberStreams::Row attributes) {
    OTF2_AttributeList_RemoveAllAttributes(attributes_.get());
    for (; !attributes.empty(); attributes = attributes.subspan(3)) {
      const auto type = static_cast<OTF2_Type>(attributes[1]);
      OTF2_AttributeValue value{};
      value.uint64 = attributes[2];
      if (type == OTF2_TYPE_STRING) value.stringRef = number(attributes[2]);
      // If an event has a field twice, the list takes the first.
      (void)OTF2_AttributeList_AddAttribute(attributes_.get(), number(attributes[0]), type, value);
    }
    return attributes_.get();
  }

  OTF2_EvtWriter* writer_;
  std::unique_ptr<OTF2_AttributeList, Delete> attributes_;
  OTF2_TimeStamp time_{0};
};

}  // namespace

void Otf2Events::begin_row(TrackId track, OTF2_TimeStamp time, std::uint64_t kind) {
  if (track > tracks_.size()) tracks_.resize(track);
  Of& of = tracks_[track - 1];
  row_ = {kind, time - of.last};
  of.last = time;
  ++of.events;
}

void Otf2Events::add_attributes(std::span<const Otf2Attribute> attributes) {
  for (const Otf2Attribute& attribute : attributes)
    row_.insert(row_.end(), {attribute.number, attribute.type, attribute.bits});
}

void Otf2Events::enter(TrackId track, OTF2_TimeStamp time, OTF2_RegionRef region,
                       std::span<const Otf2Attribute> attributes) {
  begin_row(track, time, entering);
  row_.push_back(region);
  add_attributes(attributes);
  end_row(track);
}

void Otf2Events::leave(TrackId track, OTF2_TimeStamp time, OTF2_RegionRef region) {
  begin_row(track, time, leaving);
  row_.push_back(region);
  end_row(track);
}

void Otf2Events::message(TrackId track, OTF2_TimeStamp time, OTF2_CommRef communicator,
                         const MpiMessage& message) {
  begin_row(track, time, message.receives ? receiving : sending);
  row_.insert(row_.end(), {message.partner, communicator, message.tag, message.bytes});
  end_row(track);
}

void Otf2Events::begin_collective(TrackId track, OTF2_TimeStamp time) {
  begin_row(track, time, collective_begin);
  end_row(track);
}

void Otf2Events::end_collective(TrackId track, OTF2_TimeStamp time, const Collective& collective) {
  begin_row(track, time, collective_end);
  row_.insert(row_.end(), {collective.op, collective.communicator, collective.root, collective.sent_bytes});
  end_row(track);
}

void Otf2Events::set_measurement(TrackId track, OTF2_TimeStamp time, OTF2_MeasurementMode mode,
                                 std::span<const Otf2Attribute> attributes) {
  begin_row(track, time, measurement);
  row_.push_back(mode);
  add_attributes(attributes);
  end_row(track);
}

bool Otf2Events::write(OTF2_Archive* archive, TrackId track, const std::function<bool()>& goes_on) const {
  constexpr std::uint64_t asked_every = 8192;
  OTF2_EvtWriter* const writer = OTF2_Archive_GetEvtWriter(archive, track);
  if (writer == nullptr) throw EnvironmentError("cannot write the OTF2 archive: no file for a thread");
  RowWriter rows(writer);
  bool has_gone_on = goes_on();
  std::uint64_t written = 0;
  rows_.read(track - 1, [&](NumberStreams::Row row) {
    rows.write(row);
    if (++written % asked_every == 0) has_gone_on = goes_on();
    return has_gone_on;
  });
  check_otf2(OTF2_Archive_CloseEvtWriter(archive, writer), "events of a thread");
  return has_gone_on;
}

}  // namespace eventspace::exports
