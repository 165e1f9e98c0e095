#include "pathmaps/c_api/calls.h"

#include <algorithm>
#include <iterator>

namespace eventspace::c_api {
namespace {

constinit thread_local ThreadText error_text;  // NOLINT(misc-use-internal-linkage)

/// Whether an octet continues a character of UTF-8.
bool continues(char octet) noexcept { return (static_cast<unsigned char>(octet) & 0xC0U) == 0x80U; }

}  // namespace

void ThreadText::set(std::string_view text) noexcept {
  std::size_t length = std::min(text.size(), std::size(octets_) - 1);
  while (length > 0 && length < text.size() && continues(text[length])) --length;
  octets_[std::copy_n(text.begin(), length, octets_) - octets_] = '\0';
}

es_status fail(es_status status, std::string_view text) noexcept {
  error_text.set(text);
  return status;
}

es_status ended(Status status, std::string_view reason) noexcept {
  if (status == Status::ok) return ES_OK;
  const auto number = static_cast<es_status>(status);
  return fail(number, reason.empty() ? std::string_view(es_status_name(number)) : reason);
}

}  // namespace eventspace::c_api

// An outcome has the same number in es_status and Status.
static_assert(static_cast<int>(eventspace::Status::empty) == ES_EMPTY);
static_assert(static_cast<int>(eventspace::Status::full) == ES_FULL);
static_assert(static_cast<int>(eventspace::Status::timed_out) == ES_TIMED_OUT);
static_assert(static_cast<int>(eventspace::Status::gone) == ES_GONE);
static_assert(static_cast<int>(eventspace::Status::closed) == ES_CLOSED);
static_assert(static_cast<int>(eventspace::Status::refused) == ES_REFUSED);

const char* es_error_text(void) { return eventspace::c_api::error_text.c_str(); }

const char* es_status_name(es_status status) {
  switch (status) {
    case ES_OK:
      return "ok";
    case ES_EMPTY:
      return "empty";
    case ES_FULL:
      return "full";
    case ES_TIMED_OUT:
      return "timed out";
    case ES_GONE:
      return "gone";
    case ES_CLOSED:
      return "closed";
    case ES_REFUSED:
      return "refused";
    case ES_END:
      return "end";
    case ES_CONFIGURATION:
      return "configuration";
    case ES_ENVIRONMENT:
      return "environment";
    case ES_MISUSE:
      return "misuse";
    case ES_NO_MEMORY:
      return "out of memory";
    case ES_FAULT:
      return "fault";
  }
  return "?";
}

uint32_t es_abi_version(void) { return ES_ABI_VERSION; }
const char* es_version(void) { return EVENTSPACE_VERSION_TEXT; }
