#include "monitors/text/loss_text.h"

#include <fmt/format.h>

#include <cstdint>
#include <string>

#include "monitors/text/counted.h"

namespace eventspace {

void print_loss(std::ostream& out, const Loss& loss, std::string_view reader) {
  const auto say = [&out](std::uint64_t count, std::string_view one, std::string_view more) {
    if (count > 0) out << fmt::format("{} {}\n", counted(count, "record"), count == 1 ? one : more);
  };
  const std::string before = fmt::format("discarded before {} began", reader);
  say(loss.discarded, "was discarded before it was read", "were discarded before they were read");
  say(loss.earlier, "was " + before, "were " + before);
  say(loss.torn, "was torn: damaged, or overwritten while it was read",
      "were torn: damaged, or overwritten while they were read");
  say(loss.filtered, "was left out by a filter", "were left out by filters");
  say(loss.repeated, "was read twice, and counts once", "were read twice, and count once");
  say(loss.failed, "is missing because a wrapper failed on it",
      "are missing because a wrapper failed on them");
  say(loss.emptied, "was dropped by the application, which emptied its trace element",
      "were dropped by the application, which emptied their trace elements");
}

}  // namespace eventspace
