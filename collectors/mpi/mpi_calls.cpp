#include "collectors/mpi/mpi_calls.h"

#include <array>
#include <string>

namespace eventspace {
namespace {

constexpr MpiCall send(std::string_view name) {
  return {.name = name,
          .of = MpiClass::send,
          .partner = "dest",
          .tag = "tag",
          .count = "count",
          .datatype = "datatype",
          .communicator = "comm"};
}

constexpr MpiCall receive(std::string_view name, std::string_view status = {}) {
  return {.name = name,
          .of = MpiClass::receive,
          .partner = "source",
          .tag = "tag",
          .count = "count",
          .datatype = "datatype",
          .communicator = "comm",
          .status = status};
}

constexpr MpiCall matched_receive(std::string_view name, std::string_view status = {}) {
  return {
      .name = name, .of = MpiClass::receive, .count = "count", .datatype = "type|datatype", .status = status};
}

// The record's partner, tag and bytes describe the sent message.
constexpr MpiCall exchange(std::string_view name, std::string_view count, std::string_view datatype) {
  return {.name = name,
          .of = MpiClass::send,
          .partner = "dest",
          .tag = "sendtag",
          .count = count,
          .datatype = datatype,
          .communicator = "comm",
          .status = "status",
          .received_from = "source",
          .received_tag = "recvtag"};
}

constexpr MpiCall non_blocking(MpiCall call) {
  call.status = {};
  call.moved = {};
  call.request = "request";
  return call;
}

constexpr MpiCall persistent(MpiCall call) {
  call.request = "request";
  call.request_of = call.of;
  call.of = MpiClass::start;
  return call;
}

// Completes one request.
constexpr MpiCall completion(std::string_view name, MpiCompletes completes, std::string_view status = {},
                             std::string_view flag = {}) {
  return {.name = name,
          .of = MpiClass::complete,
          .status = status,
          .completes = completes,
          .requests = "request",
          .flag = flag};
}

constexpr MpiCall completion_of_all(std::string_view name, std::string_view flag = {}) {
  return {.name = name,
          .of = MpiClass::complete,
          .completes = MpiCompletes::all,
          .requests = "array_of_requests|requests",
          .requests_count = "count",
          .flag = flag,
          .statuses = "array_of_statuses|statuses"};
}

constexpr MpiCall completion_of_any(std::string_view name, std::string_view flag = {}) {
  return {.name = name,
          .of = MpiClass::complete,
          .status = "status",
          .completes = MpiCompletes::any,
          .requests = "array_of_requests|requests",
          .requests_count = "count",
          .flag = flag,
          .completed = "index|indx"};
}

constexpr MpiCall completion_of_some(std::string_view name) {
  return {.name = name,
          .of = MpiClass::complete,
          .completes = MpiCompletes::some,
          .requests = "array_of_requests|requests",
          .requests_count = "incount",
          .completed = "outcount",
          .indices = "array_of_indices|indices",
          .statuses = "array_of_statuses|statuses"};
}

constexpr MpiCall starting(std::string_view name, std::string_view requests, std::string_view count = {}) {
  return {.name = name,
          .of = MpiClass::start,
          .completes = MpiCompletes::nothing,
          .requests = requests,
          .requests_count = count};
}

constexpr MpiCall probe(std::string_view name, std::string_view flag = {}) {
  return {.name = name,
          .of = MpiClass::probe,
          .partner = "source",
          .tag = "tag",
          .communicator = "comm",
          .flag = flag};
}

// The contribution of the process to the collective operation.
enum class Part : std::uint8_t {
  nothing,
  count,
  sent,
  received,
  received_block,
  sent_vector,
  sent_types,
  received_vector
};

constexpr MpiCall collective(std::string_view name, Part part, std::string_view root = {}) {
  MpiCall call{.name = name, .of = MpiClass::collective, .partner = root, .communicator = "comm"};
  switch (part) {
    case Part::nothing:
      break;
    case Part::count:
      call.count = "count";
      call.datatype = "datatype";
      break;
    case Part::sent:
      call.count = "sendcount";
      call.datatype = "sendtype";
      call.in_place = "sendbuf";
      break;
    case Part::received:
      call.count = "recvcount";
      call.datatype = "recvtype";
      call.in_place = "recvbuf";
      break;
    case Part::received_block:
      call.count = "recvcount";
      call.datatype = "datatype";
      break;
    case Part::sent_vector:
    case Part::sent_types: {
      const bool has_types = part == Part::sent_types;
      call.count = "sendcounts";
      call.datatype = has_types ? "sendtypes" : "sendtype";
      call.in_place = "sendbuf";
      call.in_place_count = "recvcounts";
      call.in_place_datatype = has_types ? "recvtypes" : "recvtype";
      call.extent = MpiExtent::receivers;
      break;
    }
    case Part::received_vector:
      call.count = "recvcounts";
      call.datatype = "datatype";
      call.extent = MpiExtent::receivers;
      break;
  }
  return call;
}

// A collective operation of neighbours, which cannot use MPI_IN_PLACE.
constexpr MpiCall of_neighbors(MpiCall call) {
  call.in_place = call.in_place_count = call.in_place_datatype = {};
  if (call.extent != MpiExtent::none) call.extent = MpiExtent::neighbors;
  return call;
}

constexpr MpiCall creation(std::string_view name, std::string_view communicator, std::string_view created,
                           std::string_view tag = {}) {
  return {.name = name, .of = MpiClass::manage, .tag = tag, .communicator = communicator, .created = created};
}

// The root, which starts the processes, is the partner.
constexpr MpiCall spawning(std::string_view name) {
  return {.name = name,
          .of = MpiClass::manage,
          .partner = "root",
          .communicator = "comm",
          .created = "intercomm"};
}

constexpr MpiCall later_duplicate(std::string_view name) {
  return {.name = name,
          .of = MpiClass::manage,
          .communicator = "comm",
          .created = "newcomm",
          .creates_later = true,
          .request = "request"};
}

constexpr MpiCall removal(std::string_view name) {
  return {.name = name, .of = MpiClass::manage, .freed = "comm"};
}

constexpr MpiCall begins_access(std::string_view name, MpiClass of) {
  return {.name = name, .of = of, .count = "count", .datatype = "datatype"};
}

// A read from or write to a file.
constexpr MpiCall access(std::string_view name, MpiClass of) {
  MpiCall call = begins_access(name, of);
  call.moved = "status";
  return call;
}

constexpr MpiCall of_file(std::string_view name, std::string_view communicator = {}) {
  return {.name = name, .of = MpiClass::file, .communicator = communicator};
}

// A call that makes a window: all members of the communicator call it together.
constexpr MpiCall window_creation(std::string_view name) {
  return {.name = name, .of = MpiClass::manage, .communicator = "comm", .made_window = "win"};
}

// `rank`: the parameter with the other process's rank in the window.
constexpr MpiCall of_window(std::string_view name, std::string_view rank = {}) {
  return {.name = name, .of = MpiClass::window, .partner = rank, .window = "win"};
}

// A call that begins an epoch with a group, and a call that ends it.
constexpr MpiCall with_group(std::string_view name, MpiEpoch epoch) {
  MpiCall call = of_window(name);
  call.group = "group";
  call.epoch = epoch;
  return call;
}
constexpr MpiCall ending(std::string_view name, MpiEpoch epoch, std::string_view flag = {}) {
  MpiCall call = of_window(name);
  call.epoch = epoch;
  call.flag = flag;
  return call;
}

constexpr MpiCall beginning(std::string_view name) {
  return {.name = name, .of = MpiClass::manage, .begins_mpi = true};
}

constexpr std::array calls{
    beginning("MPI_Init"),
    beginning("MPI_Init_thread"),
    MpiCall{.name = "MPI_Finalize", .of = MpiClass::manage},
    MpiCall{.name = "MPI_Abort", .of = MpiClass::manage, .communicator = "comm"},
    send("MPI_Send"),
    send("MPI_Bsend"),
    send("MPI_Ssend"),
    send("MPI_Rsend"),
    non_blocking(send("MPI_Isend")),
    non_blocking(send("MPI_Ibsend")),
    non_blocking(send("MPI_Issend")),
    non_blocking(send("MPI_Irsend")),
    receive("MPI_Recv", "status"),
    non_blocking(receive("MPI_Irecv")),
    matched_receive("MPI_Mrecv", "status"),
    non_blocking(matched_receive("MPI_Imrecv")),
    exchange("MPI_Sendrecv", "sendcount", "sendtype"),
    exchange("MPI_Sendrecv_replace", "count", "datatype"),
    non_blocking(exchange("MPI_Isendrecv", "sendcount", "sendtype")),
    non_blocking(exchange("MPI_Isendrecv_replace", "count", "datatype")),
    persistent(send("MPI_Send_init")),
    persistent(send("MPI_Bsend_init")),
    persistent(send("MPI_Ssend_init")),
    persistent(send("MPI_Rsend_init")),
    persistent(receive("MPI_Recv_init")),
    starting("MPI_Start", "request"),
    starting("MPI_Startall", "array_of_requests|requests", "count"),
    completion("MPI_Wait", MpiCompletes::one, "status"),
    completion_of_any("MPI_Waitany"),
    completion_of_some("MPI_Waitsome"),
    completion_of_all("MPI_Waitall"),
    completion("MPI_Test", MpiCompletes::one, "status", "flag"),
    completion_of_any("MPI_Testany", "flag"),
    completion_of_some("MPI_Testsome"),
    completion_of_all("MPI_Testall", "flag"),
    completion("MPI_Request_free", MpiCompletes::removes),
    completion("MPI_Cancel", MpiCompletes::nothing),
    probe("MPI_Probe"),
    probe("MPI_Iprobe", "flag"),
    probe("MPI_Mprobe"),
    probe("MPI_Improbe", "flag"),
    collective("MPI_Barrier", Part::nothing),
    collective("MPI_Bcast", Part::count, "root"),
    collective("MPI_Gather", Part::sent, "root"),
    collective("MPI_Gatherv", Part::sent, "root"),
    collective("MPI_Scatter", Part::received, "root"),
    collective("MPI_Scatterv", Part::received, "root"),
    collective("MPI_Allgather", Part::sent),
    collective("MPI_Allgatherv", Part::sent),
    collective("MPI_Alltoall", Part::sent),
    collective("MPI_Alltoallv", Part::sent_vector),
    collective("MPI_Alltoallw", Part::sent_types),
    collective("MPI_Reduce", Part::count, "root"),
    collective("MPI_Allreduce", Part::count),
    collective("MPI_Reduce_scatter", Part::received_vector),
    collective("MPI_Reduce_scatter_block", Part::received_block),
    collective("MPI_Scan", Part::count),
    collective("MPI_Exscan", Part::count),
    non_blocking(collective("MPI_Ibarrier", Part::nothing)),
    non_blocking(collective("MPI_Ibcast", Part::count, "root")),
    non_blocking(collective("MPI_Igather", Part::sent, "root")),
    non_blocking(collective("MPI_Igatherv", Part::sent, "root")),
    non_blocking(collective("MPI_Iscatter", Part::received, "root")),
    non_blocking(collective("MPI_Iscatterv", Part::received, "root")),
    non_blocking(collective("MPI_Iallgather", Part::sent)),
    non_blocking(collective("MPI_Iallgatherv", Part::sent)),
    non_blocking(collective("MPI_Ialltoall", Part::sent)),
    non_blocking(collective("MPI_Ialltoallv", Part::sent_vector)),
    non_blocking(collective("MPI_Ialltoallw", Part::sent_types)),
    non_blocking(collective("MPI_Ireduce", Part::count, "root")),
    non_blocking(collective("MPI_Iallreduce", Part::count)),
    non_blocking(collective("MPI_Ireduce_scatter", Part::received_vector)),
    non_blocking(collective("MPI_Ireduce_scatter_block", Part::received_block)),
    non_blocking(collective("MPI_Iscan", Part::count)),
    non_blocking(collective("MPI_Iexscan", Part::count)),
    of_neighbors(collective("MPI_Neighbor_allgather", Part::sent)),
    of_neighbors(collective("MPI_Neighbor_allgatherv", Part::sent)),
    of_neighbors(collective("MPI_Neighbor_alltoall", Part::sent)),
    of_neighbors(collective("MPI_Neighbor_alltoallv", Part::sent_vector)),
    of_neighbors(collective("MPI_Neighbor_alltoallw", Part::sent_types)),
    non_blocking(of_neighbors(collective("MPI_Ineighbor_allgather", Part::sent))),
    non_blocking(of_neighbors(collective("MPI_Ineighbor_allgatherv", Part::sent))),
    non_blocking(of_neighbors(collective("MPI_Ineighbor_alltoall", Part::sent))),
    non_blocking(of_neighbors(collective("MPI_Ineighbor_alltoallv", Part::sent_vector))),
    non_blocking(of_neighbors(collective("MPI_Ineighbor_alltoallw", Part::sent_types))),
    creation("MPI_Comm_dup", "comm", "newcomm"),
    creation("MPI_Comm_dup_with_info", "comm", "newcomm"),
    creation("MPI_Comm_split", "comm", "newcomm"),
    creation("MPI_Comm_split_type", "comm", "newcomm"),
    creation("MPI_Comm_create", "comm", "newcomm"),
    creation("MPI_Comm_create_group", "comm", "newcomm", "tag"),
    creation("MPI_Cart_create", "old_comm|comm_old", "comm_cart"),
    creation("MPI_Cart_sub", "comm", "new_comm|newcomm"),
    creation("MPI_Graph_create", "comm_old", "comm_graph"),
    creation("MPI_Dist_graph_create", "comm_old", "newcomm|comm_dist_graph"),
    creation("MPI_Dist_graph_create_adjacent", "comm_old", "comm_dist_graph"),
    creation("MPI_Intercomm_create", "local_comm", "newintercomm", "tag"),
    creation("MPI_Intercomm_merge", "intercomm", "newintercomm|newintracomm"),
    removal("MPI_Comm_free"),
    removal("MPI_Comm_disconnect"),
    later_duplicate("MPI_Comm_idup"),
    later_duplicate("MPI_Comm_idup_with_info"),
    MpiCall{
        .name = "MPI_Comm_set_name", .of = MpiClass::manage, .communicator = "comm", .named = "comm_name"},
    MpiCall{.name = "MPI_Pcontrol", .of = MpiClass::manage, .tag = "level"},
    of_file("MPI_File_open", "comm"),
    of_file("MPI_File_close"),
    of_file("MPI_File_sync"),
    of_file("MPI_File_set_view"),
    of_file("MPI_File_set_size"),
    of_file("MPI_File_preallocate"),
    of_file("MPI_File_delete"),
    access("MPI_File_read", MpiClass::input),
    non_blocking(access("MPI_File_iread", MpiClass::input)),
    access("MPI_File_write", MpiClass::output),
    non_blocking(access("MPI_File_iwrite", MpiClass::output)),
    access("MPI_File_read_all", MpiClass::input),
    non_blocking(access("MPI_File_iread_all", MpiClass::input)),
    access("MPI_File_write_all", MpiClass::output),
    non_blocking(access("MPI_File_iwrite_all", MpiClass::output)),
    access("MPI_File_read_at", MpiClass::input),
    non_blocking(access("MPI_File_iread_at", MpiClass::input)),
    access("MPI_File_write_at", MpiClass::output),
    non_blocking(access("MPI_File_iwrite_at", MpiClass::output)),
    access("MPI_File_read_at_all", MpiClass::input),
    non_blocking(access("MPI_File_iread_at_all", MpiClass::input)),
    access("MPI_File_write_at_all", MpiClass::output),
    non_blocking(access("MPI_File_iwrite_at_all", MpiClass::output)),
    access("MPI_File_read_shared", MpiClass::input),
    non_blocking(access("MPI_File_iread_shared", MpiClass::input)),
    access("MPI_File_read_ordered", MpiClass::input),
    begins_access("MPI_File_read_all_begin", MpiClass::input),
    of_file("MPI_File_read_all_end"),
    begins_access("MPI_File_read_at_all_begin", MpiClass::input),
    of_file("MPI_File_read_at_all_end"),
    begins_access("MPI_File_read_ordered_begin", MpiClass::input),
    of_file("MPI_File_read_ordered_end"),
    access("MPI_File_write_shared", MpiClass::output),
    non_blocking(access("MPI_File_iwrite_shared", MpiClass::output)),
    access("MPI_File_write_ordered", MpiClass::output),
    begins_access("MPI_File_write_all_begin", MpiClass::output),
    of_file("MPI_File_write_all_end"),
    begins_access("MPI_File_write_at_all_begin", MpiClass::output),
    of_file("MPI_File_write_at_all_end"),
    begins_access("MPI_File_write_ordered_begin", MpiClass::output),
    of_file("MPI_File_write_ordered_end"),
    window_creation("MPI_Win_create"),
    window_creation("MPI_Win_allocate"),
    window_creation("MPI_Win_allocate_shared"),
    window_creation("MPI_Win_create_dynamic"),
    MpiCall{.name = "MPI_Win_free", .of = MpiClass::manage, .freed_window = "win"},
    MpiCall{.name = "MPI_Win_fence", .of = MpiClass::collective, .window = "win"},
    MpiCall{.name = "MPI_Win_lock",
            .of = MpiClass::window,
            .partner = "rank",
            .window = "win",
            .lock = "lock_type"},
    of_window("MPI_Win_unlock", "rank"),
    of_window("MPI_Win_lock_all"),
    of_window("MPI_Win_unlock_all"),
    of_window("MPI_Win_flush", "rank"),
    of_window("MPI_Win_flush_all"),
    of_window("MPI_Win_flush_local", "rank"),
    of_window("MPI_Win_flush_local_all"),
    with_group("MPI_Win_post", MpiEpoch::exposure),
    with_group("MPI_Win_start", MpiEpoch::access),
    ending("MPI_Win_complete", MpiEpoch::access),
    ending("MPI_Win_wait", MpiEpoch::exposure),
    ending("MPI_Win_test", MpiEpoch::exposure, "flag"),
    spawning("MPI_Comm_spawn"),
    spawning("MPI_Comm_spawn_multiple"),
};
static_assert(calls.size() < large_counts);

}  // namespace

std::string_view to_string(MpiClass of) noexcept {
  switch (of) {
    case MpiClass::send:
      return "send";
    case MpiClass::receive:
      return "receive";
    case MpiClass::complete:
      return "complete";
    case MpiClass::collective:
      return "collective";
    case MpiClass::probe:
      return "probe";
    case MpiClass::manage:
      return "manage";
    case MpiClass::start:
      return "start";
    case MpiClass::look:
      return "look";
    case MpiClass::input:
      return "input";
    case MpiClass::output:
      return "output";
    case MpiClass::file:
      return "file";
    case MpiClass::window:
      return "window";
  }
  return "";
}

std::span<const MpiCall> mpi_calls() noexcept { return calls; }

std::span<const std::string_view> mpi_call_names() {
  static const auto large = [] {
    std::array<std::string, calls.size()> names;
    for (std::size_t i = 0; i < names.size(); ++i) names[i] = std::string(calls[i].name) + "_c";
    return names;
  }();
  static const auto names = [] {
    std::array<std::string_view, std::size_t{2} * large_counts> words;
    for (std::size_t i = 0; i < calls.size(); ++i) {
      words[i + 1] = calls[i].name;
      words[i + 1 + large_counts] = large[i];
    }
    return words;
  }();
  return names;
}

}  // namespace eventspace
