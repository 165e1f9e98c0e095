#pragma once

// Private to scopes/.

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "paths/pushes.h"
#include "scopes/streams/events.h"
#include "scopes/streams/filters/filter.h"
#include "scopes/streams/filters/synchronisation.h"
#include "scopes/streams/flow.h"
#include "scopes/streams/frame.h"
#include "scopes/streams/holding.h"
#include "scopes/streams/packets/packet.h"
#include "scopes/streams/packets/packet_queue.h"
#include "scopes/streams/plugins/filter_chain.h"
#include "scopes/streams/report.h"
#include "scopes/streams/stream_options.h"
#include "scopes/streams/topology/topology.h"
#include "tuplespace/system/deadline.h"

namespace eventspace::streams {

/// One link of a process, to a child or to its parent: its queue of control frames, and the credit of the
/// link itself, which counts messages. Queued packets are in their streams' flows.
struct NodeLink {
  PushOutlet* outlet{nullptr};       ///< null: the peer is gone
  std::vector<std::byte> control{};  ///< frames that are not packets, to be sent first
  std::uint64_t heard{0};            ///< messages received
  bool dirty{false};                 ///< whether there may be messages to send; set by StreamNode::mark()
};

/// New filters of a stream in one process, until all processes of the network have them. Waves are held
/// during this time, so that there is a wave that no process has passed on: the new filters begin with that
/// wave.
///
///     front-end: set_filters --> change --> each process makes the filters and holds its waves
///                begin <-------- agreed <-- the largest number of a wave that was passed on, plus one
///                   \----------> begin ---> waves continue; from this number on by the new filters
struct FilterChange {
  std::uint32_t generation{0};
  StreamOptions options{};  ///< with the new filters
  FilterChain up{};
  FilterChain down{};
  std::set<Child> awaited{};    ///< children that have not answered
  std::uint64_t first_wave{0};  ///< the first wave that was not processed, here or below
  std::string failure{};        ///< why a process cannot make the filters
  bool is_answered{false};      ///< to the process above
};

/// One process of a network of streams: forwards packets down, forms waves on the way up, and runs the
/// filters. Above and below it are links (paths/pushes.h); at the ends of the network, in the front-end and
/// in back-ends, packets are queued for the user. The same code runs in all three parts.
///
/// It does no I/O itself: messages come in by the receive functions and leave in flush(), which packs all
/// packets for one link into few messages. If the caller flushes when it has no more input, a packet of an
/// idle stream leaves at once, and packets of busy streams leave together.
///
/// Bounds: credit ensures that each flow and each queue holds at most a window of packets and bytes (flow.h).
/// Bytes from peers are checked; if a peer breaks the rules, that is counted and its message dropped.
///
/// Not thread-safe. Never blocks.
class StreamNode {
 public:
  using Clock = Synchronisation::Clock;
  static constexpr std::size_t max_streams = 4096;
  static constexpr std::size_t batch_bytes = 64u << 10;  ///< a message of this size is full
  static constexpr std::uint64_t link_window = 64;       ///< messages on the way on one link
  static constexpr std::size_t max_events = 4096;        ///< queued for the user

  /// `process`: its number in the topology, if it has children and is in the topology.
  explicit StreamNode(Part part, std::optional<std::uint32_t> process = std::nullopt)
      : part_(part), process_(process) {}
  StreamNode(const StreamNode&) = delete;
  StreamNode& operator=(const StreamNode&) = delete;

  // --- links

  /// Adds a child with these end-points. `outlet` is valid until remove_child. `text` is for the event.
  /// `may_bring`: end-points that the child may name later; nullopt: any that no other child has. `endpoint`:
  /// where children of the child attach; empty: it has no children, or they may not attach elsewhere. `part`:
  /// whether it has children itself.
  Child add_child(PushOutlet& outlet, const RankSet& ranks, const std::string& text = {},
                  std::optional<RankSet> may_bring = std::nullopt, const std::string& endpoint = {},
                  Part part = Part::back_end);
  /// Removes a child; `why` is for the event.
  void remove_child(Child child, const std::string& why);
  /// The process is attached to a parent at this endpoint. If it had another parent before, its streams
  /// continue as soon as the new parent has sent them.
  void set_parent(PushOutlet* outlet, const std::string& endpoint);
  /// The connection to the parent is lost. Packets that go up are queued.
  void lose_parent();
  /// The network has ended, for the user and for all processes below, which receive the end with the next
  /// flush().
  void end(const std::string& why);
  void receive_from_child(Child child, Bytes message);
  void receive_from_parent(Bytes message);
  /// A peer has granted credit, or there may be messages to send for another reason.
  void look_at(std::optional<Child> child);

  /// Passes on waves whose time is up, and sends all that can be sent, except packets of busy streams that
  /// wait for more (holding.h).
  void flush();
  /// To be called when the user has sent a packet: does flush(), also of busy streams, unless the user is
  /// expected to send more at once (holding.h). The caller flushes before it waits.
  void flush_after_send(std::uint32_t stream);
  /// To be called when the user has taken a packet: does flush() if packets were held for long, or if this
  /// grants credit. With a large window the credit waits for the user's next packet to be sent or taken.
  void flush_after_take();
  /// When flush() has work to do without a message.
  [[nodiscard]] Deadline due() const;

  // --- the user's end: in a front-end or back-end

  /// Opens a stream and returns its number. Throws ConfigurationError for invalid options, or too many
  /// streams. Only in a front-end.
  std::uint32_t open(const StreamOptions& options);
  void close(std::uint32_t stream);
  /// Changes the members of a stream. Previous members continue with their next wave; packets of removed
  /// members still take part in their waves. Returns false if the stream does not exist. Only in a front-end.
  bool set_members(std::uint32_t stream, const RankSet& members);
  /// Begins to replace the filters of a stream: makes them here, holds its waves, and requests the same from
  /// all processes below. Returns false if the stream does not exist. Throws ConfigurationError, without
  /// effect, for filters that cannot be made, or if too many changes are in progress. Only in a front-end.
  bool begin_change(std::uint32_t stream, const std::vector<FilterUse>& up,
                    const std::vector<FilterUse>& down);
  /// Whether all processes have answered, or one of them cannot make the filters.
  [[nodiscard]] bool has_answers(std::uint32_t stream) const;
  /// Completes the change. If all processes agree, the new filters are used from a wave on, whose number is
  /// returned. Otherwise all continue with the old ones: throws ConfigurationError if a process cannot make
  /// the new filters; returns nullopt if not all have answered.
  std::optional<std::uint64_t> end_change(std::uint32_t stream);
  void drop_unanswered_change(std::uint32_t stream);  ///< all continue with the old filters
  /// The current filters of a stream; null if the stream does not exist.
  [[nodiscard]] const StreamOptions* options(std::uint32_t stream) const;
  static constexpr std::size_t max_generations = 8;  ///< of filters of a stream that are used at a time
  /// Sends a packet: from a front-end down, to `packet.ranks` of the stream or all; from a back-end up.
  /// Returns false, without effect, if there is no room (WhenFull::wait) or the stream does not exist. Throws
  /// PacketError for a packet that is too large. A back-end's packet gets the number `answers` or, without
  /// it, the next number of the stream there; numbers ascend.
  [[nodiscard]] bool send(std::uint32_t stream, Packet packet,
                          std::optional<std::uint64_t> answers = std::nullopt);
  [[nodiscard]] bool has_stream(std::uint32_t stream) const { return streams_.contains(stream); }
  /// The next packet of a stream, or of any.
  [[nodiscard]] std::optional<Received> take(std::optional<std::uint32_t> stream);
  /// The streams with packets for the user, in turn.
  [[nodiscard]] std::vector<std::uint32_t> with_packets() const {
    return {with_packets_.begin(), with_packets_.end()};
  }
  [[nodiscard]] bool has_packets() const noexcept { return !with_packets_.empty(); }
  /// Reports to the front-end that a function of the user has refused a packet; in the front-end, to its
  /// user.
  void report_handler_fault(std::uint32_t stream, std::uint64_t wave, const std::string& why);
  [[nodiscard]] std::optional<Event> take_event();

  [[nodiscard]] const RankSet& ranks() const noexcept { return ranks_; }  ///< below, or a back-end's own
  [[nodiscard]] StreamCounters counters(std::uint32_t stream) const;
  [[nodiscard]] std::vector<StreamReport> report() const;  ///< of all streams
  /// Messages from peers that were invalid or exceeded a limit.
  [[nodiscard]] std::uint64_t malformed() const noexcept { return malformed_; }
  [[nodiscard]] bool is_welcome() const noexcept { return welcome_; }  ///< the parent has sent the ranks
  /// Where to attach when the parent is lost, in this order.
  struct Refuges {
    std::vector<std::string> endpoints;
    std::size_t siblings{0};  ///< the first ones: of the parent. The others are above it, nearest first
  };
  [[nodiscard]] Refuges refuges() const;
  /// Sets it for the whole network. Only in a front-end.
  void set_adoption(Adoption adoption);
  [[nodiscard]] Adoption adoption() const noexcept { return adoption_; }
  /// End-points that belong below another process, which is lost, and may attach here.
  [[nodiscard]] const RankSet& adoptable() const noexcept { return adoptable_; }
  /// Whether the parent has sent that the network has ended.
  [[nodiscard]] bool is_over() const noexcept { return !over_.empty(); }
  [[nodiscard]] const std::string& why_over() const noexcept { return over_; }

 private:
  struct Stream {
    /// Filters for the way up: one set for each generation that may still have waves, oldest first.
    struct Up {
      std::uint32_t generation{1};
      FilterChain chain;
    };
    /// Filters for the way down, and the first packet that passes them; kept as long as earlier packets may
    /// come.
    struct Down {
      std::uint64_t first{0};
      FilterChain chain;
    };
    /// Makes the filters. Throws the error of a filter that cannot be made.
    Stream(std::uint32_t number, StreamOptions chosen, Part part, const FilterPlace& place,
           std::uint32_t generation);
    [[nodiscard]] std::uint32_t generation() const { return up_filters.back().generation; }
    /// The filters of a generation; the oldest ones for a generation that has ended.
    [[nodiscard]] Up& up_of(std::uint32_t generation);
    /// The filters for a packet that goes down.
    [[nodiscard]] FilterChain& down_of(std::uint64_t packet);

    std::uint32_t id;
    StreamOptions options;
    Load window;  // from the options
    Synchronisation waves;
    std::deque<Up> up_filters;
    std::deque<Down> down_filters;
    std::optional<FilterChange> change;  // in progress: waves are held
    std::set<Child> refusing;            // children that take no part, as they cannot make the filters
    std::uint64_t next_up{0};
    std::uint64_t sent_up{0};  // the number of the last packet sent up, plus one
    std::uint64_t next_down{0};
    Flow up;                     // to the parent
    std::map<Child, Flow> down;  // to the children that take part
    PacketQueue for_user;
    bool listed{false};    // in with_packets_
    bool confirmed{true};  // by the current parent
    BusyStream busy;       // only in a front-end
    bool waits{false};     // during flush(): its packets for the children are held
    StreamCounters counters;
    std::uint64_t dropped_untold{0};  // dropped by this process and not yet reported to the parent
  };
  struct Kid {
    RankSet ranks;
    RankSet gone{};          // those that have left
    bool is_process{false};  // it has children
    bool is_out{false};      // disconnected: its messages are ignored
    std::optional<RankSet> may_bring{};
    RankSet claimed{};       // adopted by it before this process has noticed that another child has lost them
    std::string endpoint{};  // only for an internal process
    NodeLink link;
  };

  /// A stream's packets in a message.
  struct Packed {
    Stream* stream;
    Flow* flow;
    std::size_t packets;
  };

  [[nodiscard]] Stream* find(std::uint32_t stream);
  static void require_few_filters(const std::vector<FilterUse>& up, const std::vector<FilterUse>& down);
  [[nodiscard]] static FilterChain chain_up(const StreamOptions& options, Part part,
                                            const FilterPlace& place);
  [[nodiscard]] static FilterChain chain_down(const StreamOptions& options, FilterPlace place);
  void add_stream(std::uint32_t number, const StreamOptions& options, std::uint64_t next_wave,
                  std::uint32_t generation);
  void introduce(Stream& stream, Child child, Kid& kid);
  [[nodiscard]] static std::uint64_t next_expected(const Stream& stream);
  void change_members(Stream& stream, const RankSet& members);
  void change_member(Stream& stream, Child child, Kid& kid);
  void exclude(Stream& stream, Child child, Kid& kid);
  bool part_with(Stream& stream, Child child);
  void join_filters(Stream& stream, Child child, const RankSet& ranks);
  static RankSet members_below(const Stream& stream, const RankSet& ranks);

  void on_child(Child child, Kid& kid, Frame& frame);
  void on_parent(Frame& frame);
  RankSet brought(const Kid& kid, const RankSet& ranks);
  void on_joined(Child child, Kid& kid, RankSet ranks, const std::string& text);
  void disconnect(Child child, const std::string& why);
  void take_out(Child child, const RankSet& ranks, const std::string& why);
  void take_away(Child child, const RankSet& ranks);
  void claim(Child child, Kid& kid, const RankSet& ranks);
  void settle_claims();
  void on_known();
  void on_refused(Child child, Stream& stream, const Frame& frame);
  void refuse(const Frame& open, const std::string& reason);

  void prepare(Stream& stream, StreamOptions options, std::uint32_t generation);
  void on_change(Stream& stream, const Frame& frame);
  void on_agreed(Child child, Stream& stream, const Frame& frame);
  void on_begin(Stream& stream, const Frame& frame);
  void on_keep(Stream& stream, const Frame& frame);
  void await_no_more(Stream& stream, Child child);
  void answer_change(Stream& stream);
  void use_change(Stream& stream, std::uint64_t first_wave, std::uint64_t first_packet);
  void drop_change(Stream& stream);
  void catch_up(Stream& stream, const Frame& open);
  void end_generation(Stream& stream, std::uint32_t generation);
  void notify_children(Stream& stream, const Frame& frame);
  void on_lineage(const Frame& frame);
  void notify_lineage(NodeLink& link);
  void on_siblings(const Frame& frame);
  void notify_siblings();
  void offer_orphans(const RankSet& ranks);
  void on_open(Frame& frame);
  static void take_in(Stream& stream, Child child, const Kid& kid, Packet packet, Clock::time_point now);
  void on_data_up(Child child, const Kid& kid, Frame& frame, bool goes_on);
  void on_data_down(Frame& frame);
  void report_fault(Stream& stream, std::uint64_t wave, const std::string& reason);
  [[nodiscard]] std::string own(const std::string& reason) const;
  void notify_event(EventKind kind, const RankSet& ranks, const std::string& text);

  void pump(Stream& stream, Clock::time_point now);
  void pass_up(Stream& stream, Wave wave, Clock::time_point now);
  bool pass_one(Stream& stream, Clock::time_point now);
  void lose_wave(Stream& stream, Stream::Up& filters, std::uint64_t wave, const RankSet& missing);
  void leave_filters(Stream& stream, Stream::Up& filters, Child child);
  void finish_up(Stream& stream, Stream::Up& filters, std::uint64_t wave, const RankSet& missing,
                 std::vector<Packet> packets);
  void add_up(Stream& stream, Packet packet);
  [[nodiscard]] static std::vector<Packet> run_down(Stream& stream, Packet packet);
  void spread(Stream& stream, Packet packet);
  void spread_made(Stream& stream, Packet packet);
  void deliver(Stream& stream, Packet packet);
  [[nodiscard]] bool has_room_up(const Stream& stream) const;
  [[nodiscard]] bool has_room_down(const Stream& stream) const;
  [[nodiscard]] Load held_up(const Stream& stream) const;
  [[nodiscard]] Load held_down(const Stream& stream) const;
  void grant_children(Stream& stream);
  void grant_child(Stream& stream, Child child, Flow& flow);
  void grant_parent(Stream& stream);

  [[nodiscard]] bool is_busy(const Stream& stream, Clock::time_point now) const;
  void release(Stream& stream, Clock::time_point now);
  void send_links();
  void send_link(NodeLink& link, std::optional<Child> child);
  void count_message(NodeLink& link);
  /// There may be messages to send on the link.
  void mark(NodeLink& link) noexcept { link.dirty = kids_dirty_ = true; }
  void post(NodeLink& link, const Frame& frame);
  void post_up(const Frame& frame);
  static void count_dropped(Stream& stream, std::uint64_t packets) noexcept;
  void notify_dropped(Stream& stream);

  Part part_;
  std::optional<std::uint32_t> process_;
  RankSet ranks_;
  bool welcome_{false};
  std::string over_;  // why the network has ended for this process
  bool told_end_{false};
  std::string parent_endpoint_;
  std::vector<std::string> above_parent_;
  Adoption adoption_{Adoption::ancestor};
  std::vector<std::string> siblings_;            // other internal children of the parent
  std::vector<std::string> siblings_of_parent_;  // as sent by the parent
  RankSet adoptable_;
  Child next_child_{0};
  std::uint32_t next_stream_{1};
  std::map<Child, Kid> kids_;
  bool kids_dirty_{false};  // a child's link may be dirty
  NodeLink parent_;
  std::map<std::uint32_t, Stream> streams_;
  std::deque<std::uint32_t> with_packets_;  // in turn
  std::vector<Packed> packed_;              // used by send_link(); a member to reuse its memory
  Holding holding_;
  bool grants_may_wait_{false};  // the user has taken a packet of a stream with a large window
  bool grants_wait_{false};      // for the user's next packet
  std::deque<Event> events_;
  std::uint64_t malformed_{0};
};

}  // namespace eventspace::streams
