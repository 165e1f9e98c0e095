#include "scopes/pulls/view_codec.h"

#include "scopes/pulls/view_layout.h"

namespace eventspace {
namespace {

// Estimates how many bytes a view takes.
std::size_t expected_bytes(const View& view) noexcept {
  constexpr std::size_t process = 220, thread = 24, position = 16, other = 100;
  std::size_t bytes = view.records.size() * sizeof(TraceTuple) + view.positions.size() * position +
                      view.processes.size() * process;
  for (const ProcessReport& report : view.processes) bytes += report.threads.size() * thread;
  for (const ViewParcel& parcel : view.parcels) bytes += parcel.body.size() + other;
  const std::size_t others = view.levels.size() + view.missing.size() + view.aggregates.size() +
                             view.collective_parts.size() + view.collective_sums.size();
  return bytes + (1 + others) * other;
}

}  // namespace

void write_view(const View& view, wire::Message& reply) {
  reply.reserve(reply.size() + expected_bytes(view));
  wire::append(reply, view);
}

std::optional<View> read_view(Bytes body, const std::shared_ptr<const void>& message) {
  auto view = wire::decoded<View>(body, message);
  if (view && message == nullptr) (void)view->records.whole();  // `body` may be freed before the view
  return view;
}

}  // namespace eventspace
