#pragma once

// The kind of target by which a server reports the states of its elements. Its verb is Verb::pull, so that
// observers may use it: a state has names and counts of an element, but not the contents of its tuples. The
// bodies of its messages (msgpack arrays):
//
//     request   [first, most]
//     reply     [all, [state, ...]]       all: how many elements there are; the states from `first` on
//     state     [name, kind, waits, is_known, type, process, capacity, kept, written, taken, discarded,
//     dropped,
//               refused, oldest, newest, room, bytes]

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "paths/bodies/target_client.h"
#include "paths/bodies/target_kind.h"

namespace eventspace {

/// The name of the kind in open requests.
inline constexpr const char* element_states_target = "element states";

/// Where an element is kept. The numbers are part of the wire format.
enum class ElementPlace : std::uint8_t {
  memory = 1,  ///< of the answering process
  shared = 2   ///< in shared memory of the node
};

/// The current and past contents of an element, in numbers.
struct ElementState {
  std::string name;
  ElementPlace place{ElementPlace::memory};
  bool waits{true};     ///< WhenFull::wait
  bool is_known{true};  ///< false if a process keeps changing it, or if it is damaged; the numbers are 0
  std::string type;     ///< such as "(int, text)"; "()" while it has none
  std::string process;  ///< for shared elements: their home
  std::uint64_t capacity{0};
  std::uint64_t kept{0};
  std::uint64_t written{0};
  std::uint64_t taken{0};
  std::uint64_t discarded{0};
  std::uint64_t dropped{0};
  std::uint64_t refused{0};
  std::uint64_t oldest{0};  ///< number of the oldest tuple kept; 0 if none, or unknown
  std::uint64_t newest{0};
  std::uint64_t room{0};   ///< for shared elements: bytes for the tuples
  std::uint64_t bytes{0};  ///< thereof used
  friend bool operator==(const ElementState&, const ElementState&) = default;
};

/// Request and result of an operation on such a target.
struct ElementStatesBody : OperationBody {
  static constexpr std::uint32_t max_states = 4096;  ///< in one reply
  std::uint32_t first{0};
  std::uint32_t most{max_states};
  std::uint32_t all{0};              ///< out
  std::vector<ElementState> states;  ///< out, if the status is ok
};

/// Returns the spec to open the target with. A server of another session or plan refuses it.
std::vector<std::byte> element_states_spec(const std::string& session, std::uint64_t fingerprint);

/// The client's end. Stateless.
class ElementStatesClient final : public TargetClient {
 public:
  void write_request(const Operation& operation, wire::Message& request) const override;
  [[nodiscard]] std::string read_reply(Operation& operation, const ReplyBody& reply) override;
};

/// The server's end. `states` returns the states of all elements, in a stable order; the server's thread
/// calls it for each operation, and it must not block.
[[nodiscard]] std::shared_ptr<const TargetKind> element_states_kind(
    std::string session, std::uint64_t fingerprint, std::function<std::vector<ElementState>()> states);

}  // namespace eventspace
