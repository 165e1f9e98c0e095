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

// One record for both halves: its partner, tag and bytes are those of the message that it sends.
constexpr MpiCall exchange(std::string_view name, std::string_view count, std::string_view datatype) {
  return {.name = name,
          .of = MpiClass::send,
          .partner = "dest",
          .tag = "sendtag",
          .count = count,
          .datatype = datatype,
          .communicator = "comm"};
}

constexpr MpiCall persistent(MpiCall call) {
  call.of = MpiClass::start;
  return call;
}

constexpr MpiCall plain(std::string_view name, MpiClass of) { return {.name = name, .of = of}; }

constexpr MpiCall probe(std::string_view name) {
  return {.name = name, .of = MpiClass::probe, .partner = "source", .tag = "tag", .communicator = "comm"};
}

// What the process contributes to the collective operation.
enum class Part : std::uint8_t { nothing, count, sent, received, received_block };

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
  }
  return call;
}

constexpr MpiCall creation(std::string_view name, std::string_view communicator, std::string_view created,
                           std::string_view tag = {}) {
  return {.name = name, .of = MpiClass::manage, .tag = tag, .communicator = communicator, .created = created};
}

constexpr MpiCall removal(std::string_view name) {
  return {.name = name, .of = MpiClass::manage, .freed = "comm"};
}

constexpr MpiCall beginning(std::string_view name) {
  return {.name = name, .of = MpiClass::manage, .begins_mpi = true};
}

constexpr std::array calls{
    beginning("MPI_Init"),
    beginning("MPI_Init_thread"),
    plain("MPI_Finalize", MpiClass::manage),
    MpiCall{.name = "MPI_Abort", .of = MpiClass::manage, .communicator = "comm"},
    send("MPI_Send"),
    send("MPI_Bsend"),
    send("MPI_Ssend"),
    send("MPI_Rsend"),
    send("MPI_Isend"),
    send("MPI_Ibsend"),
    send("MPI_Issend"),
    send("MPI_Irsend"),
    receive("MPI_Recv", "status"),
    receive("MPI_Irecv"),
    matched_receive("MPI_Mrecv", "status"),
    matched_receive("MPI_Imrecv"),
    exchange("MPI_Sendrecv", "sendcount", "sendtype"),
    exchange("MPI_Sendrecv_replace", "count", "datatype"),
    exchange("MPI_Isendrecv", "sendcount", "sendtype"),
    exchange("MPI_Isendrecv_replace", "count", "datatype"),
    persistent(send("MPI_Send_init")),
    persistent(send("MPI_Bsend_init")),
    persistent(send("MPI_Ssend_init")),
    persistent(send("MPI_Rsend_init")),
    persistent(receive("MPI_Recv_init")),
    plain("MPI_Start", MpiClass::start),
    plain("MPI_Startall", MpiClass::start),
    plain("MPI_Wait", MpiClass::complete),
    plain("MPI_Waitany", MpiClass::complete),
    plain("MPI_Waitsome", MpiClass::complete),
    plain("MPI_Waitall", MpiClass::complete),
    plain("MPI_Test", MpiClass::complete),
    plain("MPI_Testany", MpiClass::complete),
    plain("MPI_Testsome", MpiClass::complete),
    plain("MPI_Testall", MpiClass::complete),
    plain("MPI_Request_free", MpiClass::complete),
    plain("MPI_Cancel", MpiClass::complete),
    probe("MPI_Probe"),
    probe("MPI_Iprobe"),
    probe("MPI_Mprobe"),
    probe("MPI_Improbe"),
    collective("MPI_Barrier", Part::nothing),
    collective("MPI_Bcast", Part::count, "root"),
    collective("MPI_Gather", Part::sent, "root"),
    collective("MPI_Gatherv", Part::sent, "root"),
    collective("MPI_Scatter", Part::received, "root"),
    collective("MPI_Scatterv", Part::received, "root"),
    collective("MPI_Allgather", Part::sent),
    collective("MPI_Allgatherv", Part::sent),
    collective("MPI_Alltoall", Part::sent),
    collective("MPI_Alltoallv", Part::nothing),
    collective("MPI_Alltoallw", Part::nothing),
    collective("MPI_Reduce", Part::count, "root"),
    collective("MPI_Allreduce", Part::count),
    collective("MPI_Reduce_scatter", Part::nothing),
    collective("MPI_Reduce_scatter_block", Part::received_block),
    collective("MPI_Scan", Part::count),
    collective("MPI_Exscan", Part::count),
    collective("MPI_Ibarrier", Part::nothing),
    collective("MPI_Ibcast", Part::count, "root"),
    collective("MPI_Igather", Part::sent, "root"),
    collective("MPI_Igatherv", Part::sent, "root"),
    collective("MPI_Iscatter", Part::received, "root"),
    collective("MPI_Iscatterv", Part::received, "root"),
    collective("MPI_Iallgather", Part::sent),
    collective("MPI_Iallgatherv", Part::sent),
    collective("MPI_Ialltoall", Part::sent),
    collective("MPI_Ialltoallv", Part::nothing),
    collective("MPI_Ialltoallw", Part::nothing),
    collective("MPI_Ireduce", Part::count, "root"),
    collective("MPI_Iallreduce", Part::count),
    collective("MPI_Ireduce_scatter", Part::nothing),
    collective("MPI_Ireduce_scatter_block", Part::received_block),
    collective("MPI_Iscan", Part::count),
    collective("MPI_Iexscan", Part::count),
    collective("MPI_Neighbor_allgather", Part::sent),
    collective("MPI_Neighbor_allgatherv", Part::sent),
    collective("MPI_Neighbor_alltoall", Part::sent),
    collective("MPI_Neighbor_alltoallv", Part::nothing),
    collective("MPI_Neighbor_alltoallw", Part::nothing),
    collective("MPI_Ineighbor_allgather", Part::sent),
    collective("MPI_Ineighbor_allgatherv", Part::sent),
    collective("MPI_Ineighbor_alltoall", Part::sent),
    collective("MPI_Ineighbor_alltoallv", Part::nothing),
    collective("MPI_Ineighbor_alltoallw", Part::nothing),
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
    MpiCall{.name = "MPI_Comm_idup", .of = MpiClass::manage, .communicator = "comm"},
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
    std::array<std::string_view, 2 * large_counts> words;
    for (std::size_t i = 0; i < calls.size(); ++i) {
      words[i + 1] = calls[i].name;
      words[i + 1 + large_counts] = large[i];
    }
    return words;
  }();
  return names;
}

}  // namespace eventspace
