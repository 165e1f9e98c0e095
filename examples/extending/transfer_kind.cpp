#include "examples/extending/transfer_kind.h"

#include <array>
#include <string_view>

#include "collectors/kinds/event_kinds.h"

namespace example {

using namespace eventspace;

void add_transfer_kind() {
  static constexpr std::array<std::string_view, 3> classes{"", "to_device", "from_device"};
  EventKinds& kinds = EventKinds::instance();
  kinds.add_field({.name = "device",
                   .type = ValueType::number,
                   .source = FieldSource::stored,
                   .names = NumberNames::none,
                   .help = "the device that the data went to, or came from"});
  // `verb` and `bytes` are already in the vocabulary. The class is in bits 12 to 15 of word 3.
  kinds.add({.number = transfer_kind,
             .name = "transfer",
             .help = "a transfer of data to a device, or back",
             .fields = {{.field = "verb", .word = 3, .shift = 12, .bits = 4, .words = classes},
                        {.field = "device", .word = 3, .shift = 32, .bits = 32},
                        {.field = "bytes", .word = 5}}});
}

bool TransferRecorder::begin(TransferClass of, std::uint32_t device) noexcept {
  const auto number = static_cast<std::uint8_t>(of);
  if (!thread_->records(transfer_kind, number)) return false;
  writer_.begin(clock_->now(), record_words::thread_path(identity_.thread, identity_.path),
                record_words::kind(transfer_kind, identity_.point) | std::uint64_t{number} << 12 |
                    std::uint64_t{device} << 32);
  return true;
}

void TransferRecorder::end(std::uint64_t bytes) noexcept { writer_.end(clock_->now(), bytes, 0, 0); }

}  // namespace example
