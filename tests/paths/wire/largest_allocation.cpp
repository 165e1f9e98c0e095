#include "tests/paths/wire/largest_allocation.h"

#include <algorithm>
#include <cstdlib>
#include <new>

namespace {

thread_local std::size_t largest_allocation = 0;

void* allocate_noted(std::size_t size, std::size_t alignment) {
  largest_allocation = std::max(largest_allocation, size);
  const std::size_t whole = (std::max<std::size_t>(size, 1) + alignment - 1) / alignment * alignment;
  if (void* const memory = std::aligned_alloc(alignment, whole)) return memory;
  throw std::bad_alloc();
}

}  // namespace

// If GCC inlines only one of operator new and delete, it warns of a mismatched pair.
[[gnu::noinline]] void* operator new(std::size_t size) {
  return allocate_noted(size, __STDCPP_DEFAULT_NEW_ALIGNMENT__);
}
[[gnu::noinline]] void* operator new(std::size_t size, std::align_val_t alignment) {
  return allocate_noted(size, static_cast<std::size_t>(alignment));
}
[[gnu::noinline]] void operator delete(void* memory) noexcept { std::free(memory); }
[[gnu::noinline]] void operator delete(void* memory, std::size_t /*size*/) noexcept { std::free(memory); }
[[gnu::noinline]] void operator delete(void* memory, std::align_val_t /*alignment*/) noexcept {
  std::free(memory);
}
[[gnu::noinline]] void operator delete(void* memory, std::size_t /*size*/,
                                       std::align_val_t /*alignment*/) noexcept {
  std::free(memory);
}

namespace eventspace::test {

LargestAllocation::LargestAllocation() noexcept { largest_allocation = 0; }
std::size_t LargestAllocation::bytes() const noexcept { return largest_allocation; }

}  // namespace eventspace::test
