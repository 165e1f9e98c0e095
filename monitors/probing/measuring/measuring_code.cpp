#include "monitors/probing/measuring/measuring_code.h"

#include "monitors/probing/measuring/measuring_layout.h"

#ifdef __x86_64__

extern "C" {
// Defined by the linker, from the name of the section (probe_passing.cpp).
extern const std::byte eventspace_begin[] __asm__("__start_eventspace_probes_code");
extern const std::byte eventspace_end[] __asm__("__stop_eventspace_probes_code");

void eventspace_probe_entry(const eventspace::measuring::Descriptor*,
                            const eventspace::measuring::SavedRegisters*);
void eventspace_probe_exit(const eventspace::measuring::Descriptor*,
                           const eventspace::measuring::SavedRegisters*);
}

namespace eventspace {

MeasuringCode measuring_code() noexcept {
  const auto offset = [](auto* function) {
    return reinterpret_cast<std::uint64_t>(function) - reinterpret_cast<std::uint64_t>(eventspace_begin);
  };
  return {
      {eventspace_begin, eventspace_end}, offset(&eventspace_probe_entry), offset(&eventspace_probe_exit)};
}

}  // namespace eventspace

#else

namespace eventspace {
MeasuringCode measuring_code() noexcept { return {}; }
}  // namespace eventspace

#endif
