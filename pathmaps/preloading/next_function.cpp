#include "pathmaps/preloading/next_function.h"

#include <dlfcn.h>
#include <unistd.h>

#include <cstdio>

namespace eventspace::preloading {

// A message library that a program has opened with dlopen(3) and RTLD_LOCAL is not among the next libraries.
void* find_next(const char* name, std::span<const char* const> libraries) noexcept {
  if (void* const found = ::dlsym(RTLD_NEXT, name)) return found;
  for (const char* const library : libraries) {
    void* const opened = ::dlopen(library, RTLD_LAZY | RTLD_NOLOAD);
    if (opened == nullptr) continue;
    void* const found = ::dlsym(opened, name);
    ::dlclose(opened);  // the process still holds it
    if (found != nullptr) return found;
  }
  return nullptr;
}

void* look_for_next_of(const Table& table, std::size_t slot,
                       std::span<const char* const> libraries) noexcept {
  void* const found = find_next(table.names[slot], libraries);
  if (found == nullptr) {
    std::fprintf(stderr, "eventspace: symbol lookup error: undefined symbol: %s\n", table.names[slot]);
    ::_exit(127);
  }
  std::atomic_ref(table.next[slot]).store(found, std::memory_order_release);
  return found;
}

}  // namespace eventspace::preloading
