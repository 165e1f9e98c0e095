#pragma once

// Private to collectors/.

namespace eventspace {

/// Memory for objects of one cache line each, in pages with nothing else. Lines that a thread takes one after
/// another lie side by side: what it makes for itself at one time it uses at one time, and the processor
/// fetches neighbours together. On the heap each such object would have a line of the allocator's beside it,
/// and stand between other things.
///
/// Lines may be given back by any thread. A page is freed when all its lines are back and its thread has
/// taken up another one, or has ended; a line is not handed out twice before.
///
/// Never fails but by std::bad_alloc.
void* take_line();
void give_line_back(void* line) noexcept;

}  // namespace eventspace
