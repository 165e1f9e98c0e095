#pragma once

namespace eventspace {

/// Allocates objects of one cache line each, in pages that hold only such objects. Lines that a thread takes
/// one after another lie side by side: objects that it makes together it often uses together, and the
/// processor fetches neighbouring lines together. On the heap each object would share its surroundings with
/// the allocator's bookkeeping and with unrelated data.
///
/// Any thread may give a line back. A page is freed when all its lines have been given back and its thread
/// uses another page or has ended; before that, no line is handed out twice.
///
/// Throws only std::bad_alloc.
void* take_line();
void give_line_back(void* line) noexcept;

}  // namespace eventspace
