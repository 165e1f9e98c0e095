#pragma once

#include <eventspace.h>

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <new>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>

#include <eventspace/deadline.h>
#include <eventspace/error.h>
#include <eventspace/operation.h>
#include <eventspace/tuple.h>
#include "tuplespace/processes/of_this_process.h"

/// The frame of all functions of <eventspace.h>: exceptions and outcomes become an es_status and a text for
/// the calling thread. No exception leaves them.
namespace eventspace::c_api {

/// The caller broke a rule of the header.
class Misuse : public std::logic_error {
 public:
  using std::logic_error::logic_error;
};

/// A text of a thread, which is also there while the thread ends, when objects with destructors are gone.
/// Longer texts are cut.
class ThreadText {
 public:
  constexpr ThreadText() = default;
  void set(std::string_view text) noexcept;
  [[nodiscard]] const char* c_str() const noexcept { return octets_; }

 private:
  char octets_[2048]{};
};

/// Sets the calling thread's text, and returns `status`.
es_status fail(es_status status, std::string_view text) noexcept;
/// The status of an operation, with its reason as the text.
es_status ended(Status status, std::string_view reason) noexcept;

/// Returns what `call` returns, or the status of its exception.
template <class Call>
es_status guarded(Call call) noexcept {
  try {
    return call();
  } catch (const Misuse& error) {
    return fail(ES_MISUSE, error.what());
  } catch (const ConfigurationError& error) {
    return fail(ES_CONFIGURATION, error.what());
  } catch (const EnvironmentError& error) {
    return fail(ES_ENVIRONMENT, error.what());
  } catch (const std::bad_alloc&) {
    return fail(ES_NO_MEMORY, "out of memory");
  } catch (const std::length_error&) {
    return fail(ES_NO_MEMORY, "a size or count is too large");
  } catch (const std::exception& error) {
    return fail(ES_FAULT, error.what());
  } catch (...) {
    return fail(ES_FAULT, "an unknown exception");
  }
}

/// Returns what `call` returns, or `otherwise` if it throws.
template <class Value, class Call>
Value guarded_value(Value otherwise, Call call) noexcept {
  (void)guarded([&] {
    otherwise = call();
    return ES_OK;
  });
  return otherwise;
}

/// Returns `pointer`, which must not be null: `name` says which argument it is.
template <class T>
T& need(T* pointer, const char* name) {
  if (pointer == nullptr) throw Misuse(std::string(name) + " is NULL");
  return *pointer;
}
/// Returns the object of a handle, unless this process was forked from the one that made it.
template <class Object>
Object& need_here(const OfThisProcess<Object>& object, const char* name) {
  if (Object* const here = object.get()) return *here;
  throw Misuse(std::string(name) +
               " is of the process that forked this one: make another one in this process");
}
inline const char* need_text(const char* text, const char* name) {
  need(text, name);
  return text;
}
/// Octets of the caller, which may be null only if there are none.
inline Bytes need_bytes(const void* bytes, std::size_t length, const char* name) {
  const auto* const first = static_cast<const std::byte*>(bytes);
  if (length > 0) need(first, name);
  return {first, length};
}
inline std::string text_or_empty(const char* text) { return text != nullptr ? text : ""; }

/// Stores what `make`, which returns a std::unique_ptr, has made through `out`; null unless it succeeds.
template <class Handle, class Make>
es_status make_handle(Handle** out, const char* name, Make make) noexcept {
  if (out != nullptr) *out = nullptr;
  return guarded([&] {
    need(out, name);
    *out = make().release();
    return ES_OK;
  });
}

/// Throws Misuse for a wait that the header does not allow.
inline Deadline deadline_of(std::int64_t wait_ns) {
  if (wait_ns == ES_TRY) return Deadline::now();
  if (wait_ns == ES_FOREVER) return Deadline::never();
  if (wait_ns < 0) throw Misuse("wait_ns is " + std::to_string(wait_ns));
  return Deadline::after(std::chrono::nanoseconds(wait_ns));
}

/// Returns how many bytes of a structure both the program and this library have. Its member `size` is smaller
/// in programs that were compiled with an older header, but at least `smallest`, the size in version 0; it is
/// larger with a newer header. Members that are added later must begin at or after `smallest`.
template <class Structure>
std::size_t common_size(const Structure* given, std::size_t smallest, const char* name) {
  const std::size_t size = need(given, name).size;
  if (size < smallest) throw Misuse(std::string(name) + "->size is " + std::to_string(size));
  return std::min(size, sizeof(Structure));
}

/// Returns a copy of the program's structure. It has the values of `defaults` for members that the program
/// does not know.
template <class Structure>
Structure structure_of(const Structure* given, Structure defaults, std::size_t smallest, const char* name) {
  std::memcpy(&defaults, given, common_size(given, smallest, name));
  return defaults;
}

/// Copies `found` into the program's structure, without members that the program does not know, and keeps
/// its `size`.
template <class Structure>
void store_structure(Structure found, Structure* to, std::size_t smallest, const char* name) {
  const std::size_t size = common_size(to, smallest, name);
  found.size = to->size;
  std::memcpy(to, &found, size);
}

}  // namespace eventspace::c_api
