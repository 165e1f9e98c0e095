#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "tuplespace/trace/trace_element.h"

namespace eventspace::web {

/// What operations do, in few enough classes that each can have its colour and letter.
enum class OperationClass : std::uint8_t { send, receive, wait, collective, file, region, other };

struct ClassWords {
  char letter;
  std::string_view words;
};
/// By OperationClass.
inline constexpr std::array<ClassWords, 7> class_words{{{'S', "sends or writes"},
                                                        {'R', "receives, reads or takes"},
                                                        {'W', "waits or tests"},
                                                        {'C', "takes part in a collective operation"},
                                                        {'F', "uses a file"},
                                                        {'P', "passes a probe"},
                                                        {'O', "other calls"}}};
inline constexpr std::size_t operation_classes = class_words.size();

/// The class of the event with this record; `other` for kinds that are not built in.
OperationClass class_of(const TraceTuple& record) noexcept;

}  // namespace eventspace::web
