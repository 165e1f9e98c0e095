#pragma once

#include <ostream>
#include <string>
#include <string_view>
#include <vector>

#include "paths/views/view.h"

namespace eventspace {

/// Prints which events a monitor did not see, a sentence per line for each cause; nothing if it saw all.
/// `reader` is the subject of "began" to read: "this monitor". Events that a reduction replaced do not count
/// as missing.
void print_loss(std::ostream& out, const Loss& loss, std::string_view reader);
/// The same sentences, without a final point or newline.
std::vector<std::string> loss_sentences(const Loss& loss, std::string_view reader);

/// The part of `loss` that changes an answer. Records that the user left out, and records that counted once
/// anyway, do not. Records that were discarded before a monitor began change it only if `of_recording`,
/// because the answer of a monitor is about the time since then.
Loss loss_that_matters(Loss loss, bool of_recording) noexcept;

/// "incomplete: 3 records were discarded before they were read; 1 record was torn ...": joins the sentences;
/// empty without any.
std::string incomplete_text(const std::vector<std::string>& sentences);

}  // namespace eventspace
