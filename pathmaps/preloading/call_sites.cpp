#include "pathmaps/preloading/call_sites.h"

#include <dlfcn.h>
#include <fmt/format.h>
#include <link.h>

#include <filesystem>
#include <system_error>

#include "pathmaps/preloading/joined_process.h"

namespace eventspace::preloading {

std::uint16_t CallSites::add(std::uintptr_t address) noexcept {
  // When the table is full, each call from an unknown place comes here, so it must not wait.
  if (count_.load(std::memory_order_relaxed) == most) return 0;
  const std::lock_guard lock(mutex_);
  std::size_t at = home_of(address);
  for (std::size_t i = 0; i < reach; ++i, at = (at + 1) % slots) {
    Slot& slot = slots_[at];
    const std::uintptr_t there = slot.address.load(std::memory_order_relaxed);
    if (there == address) return slot.number.load(std::memory_order_relaxed);
    if (there != 0) continue;
    std::uint16_t number = 0;
    try {
      const auto next = static_cast<std::uint16_t>(count_.load(std::memory_order_relaxed) + 1);
      if (const std::string place = place_of(address); !place.empty() && name_site(next, place))
        number = next;
    } catch (...) {  // no memory: the place stays unknown
    }
    count_.fetch_add(1, std::memory_order_relaxed);
    slot.number.store(number, std::memory_order_relaxed);
    slot.address.store(address, std::memory_order_release);
    return number;
  }
  return 0;
}

std::string place_of(std::uintptr_t return_address) {
  const std::uintptr_t address = return_address - 1;
  Dl_info info{};
  struct ::link_map* module = nullptr;
  const auto* const code = reinterpret_cast<const void*>(address);  // NOLINT(performance-no-int-to-ptr)
  if (::dladdr1(code, &info, reinterpret_cast<void**>(&module), RTLD_DL_LINKMAP) == 0 || module == nullptr)
    return {};
  // The dynamic linker's name of the program itself is empty.
  std::string file = module->l_name == nullptr ? "" : module->l_name;
  if (file.empty()) {
    std::error_code error;
    file = std::filesystem::read_symlink("/proc/self/exe", error).string();
  }
  if (file.empty()) return {};
  return fmt::format("{}+{:#x}", file, address - module->l_addr);
}

}  // namespace eventspace::preloading
