#include "monitors/probing/code/instruction.h"

#ifdef EVENTSPACE_HAS_ZYDIS
#include <Zydis/Zydis.h>
#endif

namespace eventspace {

#ifdef EVENTSPACE_HAS_ZYDIS

namespace {

using Flow = Instruction::Flow;

ZydisDecoder make_decoder() {
  ZydisDecoder decoder;
  (void)::ZydisDecoderInit(&decoder, ZYDIS_MACHINE_MODE_LONG_64, ZYDIS_STACK_WIDTH_64);
  return decoder;
}

bool is_relative(const ZydisDecodedInstruction& decoded) { return decoded.raw.imm[0].is_relative != 0; }

bool has_short_form_only(ZydisMnemonic mnemonic) {
  switch (mnemonic) {
    case ZYDIS_MNEMONIC_JCXZ:
    case ZYDIS_MNEMONIC_JECXZ:
    case ZYDIS_MNEMONIC_JRCXZ:
    case ZYDIS_MNEMONIC_LOOP:
    case ZYDIS_MNEMONIC_LOOPE:
    case ZYDIS_MNEMONIC_LOOPNE:
      return true;
    default:
      return false;
  }
}

Flow flow_of(const ZydisDecodedInstruction& decoded) {
  if (decoded.mnemonic == ZYDIS_MNEMONIC_XBEGIN) return Flow::short_jump;  // the target for an abort
  if (decoded.mnemonic == ZYDIS_MNEMONIC_HLT || decoded.mnemonic == ZYDIS_MNEMONIC_UD2) return Flow::end;
  switch (decoded.meta.category) {
    case ZYDIS_CATEGORY_COND_BR:
      return has_short_form_only(decoded.mnemonic) ? Flow::short_jump : Flow::conditional_jump;
    case ZYDIS_CATEGORY_UNCOND_BR:
      return is_relative(decoded) ? Flow::jump : Flow::computed_jump;
    case ZYDIS_CATEGORY_CALL:
      return is_relative(decoded) ? Flow::call : Flow::computed_call;
    case ZYDIS_CATEGORY_RET:
      return Flow::end;
    default:
      return Flow::next;
  }
}

/// Adds the properties that concern memory.
void add_memory(const ZydisDecodedInstruction& decoded, Instruction& instruction) {
  const auto& raw = decoded.raw;
  if ((decoded.attributes & ZYDIS_ATTRIB_HAS_MODRM) == 0 || raw.modrm.mod == 3) return;
  instruction.is_memory_jump = instruction.flow == Flow::computed_jump;
  const auto distance = static_cast<std::uint64_t>(raw.disp.value);
  if (raw.modrm.mod == 0 && raw.modrm.rm == 5) {
    instruction.relative_memory = instruction.end() + distance;
    instruction.displacement_at = raw.disp.offset;
  }
  const bool has_table = raw.modrm.mod == 0 && raw.modrm.rm == 4 && raw.sib.base == 5 && raw.sib.scale == 3 &&
                         raw.sib.index != 4;
  if (has_table) instruction.indexed_table = distance;
}

bool releases_frame(const ZydisDecodedInstruction& decoded) {
  if (decoded.mnemonic == ZYDIS_MNEMONIC_POP || decoded.mnemonic == ZYDIS_MNEMONIC_LEAVE) return true;
  const bool is_of_stack_pointer =
      decoded.raw.modrm.mod == 3 && decoded.raw.modrm.rm == 4 && decoded.raw.rex.B == 0;
  return decoded.mnemonic == ZYDIS_MNEMONIC_ADD && is_of_stack_pointer;
}

}  // namespace

bool can_decode() noexcept { return true; }
std::uint64_t decoder_version() noexcept { return ::ZydisGetVersion(); }

std::optional<Instruction> decode(Bytes code, std::uint64_t address) {
  static const ZydisDecoder decoder = make_decoder();
  ZydisDecodedInstruction decoded;
  if (!ZYAN_SUCCESS(::ZydisDecoderDecodeInstruction(&decoder, nullptr, code.data(), code.size(), &decoded)))
    return std::nullopt;
  Instruction instruction;
  instruction.address = address;
  instruction.length = decoded.length;
  instruction.flow = flow_of(decoded);
  if (instruction.has_target()) {
    instruction.target = instruction.end() + static_cast<std::uint64_t>(decoded.raw.imm[0].value.s);
    instruction.immediate_at = decoded.raw.imm[0].offset;
    instruction.immediate_bits = decoded.raw.imm[0].size;
  }
  add_memory(decoded, instruction);
  instruction.is_return =
      decoded.meta.category == ZYDIS_CATEGORY_RET && decoded.mnemonic == ZYDIS_MNEMONIC_RET;
  instruction.is_padding = decoded.mnemonic == ZYDIS_MNEMONIC_NOP || decoded.mnemonic == ZYDIS_MNEMONIC_INT3;
  instruction.is_landing = decoded.mnemonic == ZYDIS_MNEMONIC_ENDBR64;
  instruction.is_system_call = decoded.mnemonic == ZYDIS_MNEMONIC_SYSCALL ||
                               decoded.mnemonic == ZYDIS_MNEMONIC_SYSENTER ||
                               decoded.mnemonic == ZYDIS_MNEMONIC_INT;
  instruction.is_breakpoint = decoded.mnemonic == ZYDIS_MNEMONIC_INT3;
  instruction.releases_frame = releases_frame(decoded);
  instruction.is_notrack = (decoded.attributes & ZYDIS_ATTRIB_HAS_NOTRACK) != 0;
  return instruction;
}

#else

bool can_decode() noexcept { return false; }
std::uint64_t decoder_version() noexcept { return 0; }
std::optional<Instruction> decode(Bytes /*code*/, std::uint64_t /*address*/) { return std::nullopt; }

#endif

}  // namespace eventspace
