#include "monitors/text/loss_text.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cstdint>

#include "monitors/text/counted.h"

namespace eventspace {

std::vector<std::string> loss_sentences(const Loss& loss, std::string_view reader) {
  std::vector<std::string> sentences;
  const auto say = [&](std::uint64_t count, std::string_view one, std::string_view more) {
    if (count > 0)
      sentences.push_back(fmt::format("{} {}", counted(count, "record"), count == 1 ? one : more));
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
  return sentences;
}

void print_loss(std::ostream& out, const Loss& loss, std::string_view reader) {
  for (const std::string& sentence : loss_sentences(loss, reader)) out << sentence << '\n';
}

Loss loss_that_matters(Loss loss, bool of_recording) noexcept {
  loss.filtered = 0;
  loss.reduced = 0;
  loss.repeated = 0;
  if (!of_recording) loss.earlier = 0;
  return loss;
}

std::string incomplete_text(const std::vector<std::string>& sentences) {
  return sentences.empty() ? "" : fmt::format("incomplete: {}", fmt::join(sentences, "; "));
}

}  // namespace eventspace
