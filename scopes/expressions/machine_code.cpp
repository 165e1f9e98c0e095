#include "scopes/expressions/machine_code.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <initializer_list>
#include <utility>

#include "paths/parameters/nearest.h"
#include "scopes/expressions/type_rules.h"

namespace eventspace {
namespace {

using expressions::Operator;
using expressions::Syntax;

/// Jumps forward to a place that is not known yet.
struct ForwardJumps {
  std::vector<std::size_t> places;  // places in the code of their distances
};

class Code {
 public:
  Code& bytes(std::initializer_list<unsigned> values) {
    for (const unsigned value : values) code_.push_back(static_cast<std::byte>(value));
    return *this;
  }
  template <class Number>
  void number(Number value) {
    code_.resize(code_.size() + sizeof value);
    std::memcpy(code_.data() + code_.size() - sizeof value, &value, sizeof value);
  }
  void jump(ForwardJumps& to) { distance({0xe9}, to); }
  /// `condition`: as in the codes of conditional jumps.
  void jump_if(unsigned condition, ForwardJumps& to) { distance({0x0f, 0x80 | condition}, to); }
  void land(const ForwardJumps& jumps) {
    for (const std::size_t place : jumps.places) {
      const auto way = static_cast<std::int32_t>(code_.size() - (place + sizeof(std::int32_t)));
      std::memcpy(code_.data() + place, &way, sizeof way);
    }
  }
  std::vector<std::byte> take() { return std::move(code_); }

 private:
  void distance(std::initializer_list<unsigned> instruction, ForwardJumps& to) {
    bytes(instruction);
    to.places.push_back(code_.size());
    number(std::int32_t{0});
  }
  std::vector<std::byte> code_;
};

// Conditions of jumps and of `set`.
constexpr unsigned if_overflow = 0x0;
constexpr unsigned if_zero = 0x4;
constexpr unsigned if_not_zero = 0x5;

unsigned condition_of(Operator op) noexcept {
  switch (op) {
    case Operator::equal:
      return if_zero;
    case Operator::unequal:
      return if_not_zero;
    case Operator::less:
      return 0xc;
    case Operator::at_most:
      return 0xe;
    case Operator::greater:
      return 0xf;
    default:
      return 0xd;
  }
}

// The condition of an unsigned comparison, because comparing real numbers sets the flags like one.
unsigned real_condition_of(Operator op) noexcept {
  switch (op) {
    case Operator::less:
      return 0x2;
    case Operator::at_most:
      return 0x6;
    case Operator::greater:
      return 0x7;
    case Operator::at_least:
      return 0x3;
    default:
      return condition_of(op);
  }
}

bool is_real(MachineForm form) noexcept {
  return form == MachineForm::real || form == MachineForm::short_real;
}

/// Compiles each part so that its value ends up in rax, and everything that it has pushed is popped again.
class Compiler {
 public:
  explicit Compiler(std::span<const MachineField> fields) : fields_(fields) {}

  MachineCode run(const Syntax& whole, std::span<const ValueType> allowed) {
    const ValueType type = type_of(whole);
    require_type(whole, type, allowed);
    const bool calculates_reals = has_real(whole);
    if (calculates_reals) take_real_registers();
    Missing missing{{}, 0};
    missing_ = &missing;
    const bool yields_real = type != ValueType::boolean && is_real(whole);
    type == ValueType::boolean ? truth(whole) : number(whole, yields_real);
    code_.bytes({0xba}).number(std::uint32_t{1});  // mov $1,%edx
    ForwardJumps end;
    code_.jump(end);
    code_.land(missing.jumps);
    code_.bytes({0x31, 0xd2});  // xor %edx,%edx
    code_.land(end);
    if (calculates_reals) give_real_registers_back();
    code_.bytes({0xc3});  // ret
    return {code_.take(), type, yields_real, places_};
  }

 private:
  /// The jumps for a missing number, and the number of values pushed at their target.
  struct Missing {
    ForwardJumps jumps;
    unsigned pushed;
  };

  // --- types ---

  ValueType type_of(const Syntax& syntax) {
    switch (syntax.kind) {
      case Syntax::Kind::boolean:
        return ValueType::boolean;
      case Syntax::Kind::number:
        return ValueType::number;
      case Syntax::Kind::duration:
        return ValueType::duration;
      case Syntax::Kind::text:
        expressions::fail(syntax.begin, "{} is text; probes calculate with numbers and durations only",
                          shown(syntax));
      case Syntax::Kind::field:
        return field_of(syntax).type;
      case Syntax::Kind::unary: {
        const ValueType operand = type_of(*syntax.left);
        check_unary(syntax, operand);
        return operand;
      }
      case Syntax::Kind::binary:
        break;
    }
    return type_of_binary(syntax);
  }

  ValueType type_of_binary(const Syntax& syntax) {
    const ValueType left = type_of(*syntax.left);
    const ValueType right = type_of(*syntax.right);
    if (syntax.op <= Operator::all_of) {
      check_logic(syntax, left, right);
      return ValueType::boolean;
    }
    if (syntax.op > Operator::matches) return arithmetic_type(syntax, left, right);
    if (syntax.op == Operator::matches)
      expressions::fail(syntax.operator_begin, "'matches' compares texts; probes have none");
    check_comparison(syntax, left, right);
    return ValueType::boolean;
  }

  const MachineField& field_of(const Syntax& syntax) const {
    const auto found = std::ranges::find(fields_, syntax.token, &MachineField::name);
    if (found != fields_.end()) return *found;
    std::vector<std::string_view> known;
    for (const MachineField& field : fields_) known.push_back(field.name);
    expressions::fail(syntax.begin, "unknown field '{}'{}", syntax.token,
                      hint(syntax.token, known, known.size()));
  }

  // --- whole and real numbers ---

  /// Whether the part uses other than whole numbers. Durations are whole nanoseconds, even if written with a
  /// point.
  [[nodiscard]] bool is_real(const Syntax& syntax) const {
    switch (syntax.kind) {
      case Syntax::Kind::number:
        return syntax.token.find('.') != std::string_view::npos;  // also 2.0
      case Syntax::Kind::field:
        return eventspace::is_real(field_of(syntax).form);
      case Syntax::Kind::unary:
        return is_real(*syntax.left);
      case Syntax::Kind::binary:
        return syntax.op > Operator::matches && (is_real(*syntax.left) || is_real(*syntax.right));
      default:
        return false;
    }
  }

  [[nodiscard]] bool has_real(const Syntax& syntax) const {
    if (is_real(syntax)) return true;
    return (syntax.left != nullptr && has_real(*syntax.left)) ||
           (syntax.right != nullptr && has_real(*syntax.right));
  }

  // The program may use them, and may have set modes in which a result traps, or is rounded otherwise.
  void take_real_registers() {
    code_
        .bytes({0x48, 0x8d, 0x64, 0x24, 0xd0})            // lea -48(%rsp),%rsp
        .bytes({0x0f, 0x11, 0x04, 0x24})                  // movups %xmm0,(%rsp)
        .bytes({0x0f, 0x11, 0x4c, 0x24, 16})              // movups %xmm1,16(%rsp)
        .bytes({0x0f, 0xae, 0x5c, 0x24, 32})              // stmxcsr 32(%rsp)
        .bytes({0xc7, 0x44, 0x24, 36, 0x80, 0x1f, 0, 0})  // movl $0x1f80,36(%rsp)
        .bytes({0x0f, 0xae, 0x54, 0x24, 36});             // ldmxcsr 36(%rsp)
  }
  void give_real_registers_back() {
    code_
        .bytes({0x0f, 0xae, 0x54, 0x24, 32})   // ldmxcsr 32(%rsp)
        .bytes({0x0f, 0x10, 0x04, 0x24})       // movups (%rsp),%xmm0
        .bytes({0x0f, 0x10, 0x4c, 0x24, 16})   // movups 16(%rsp),%xmm1
        .bytes({0x48, 0x8d, 0x64, 0x24, 48});  // lea 48(%rsp),%rsp
  }

  // --- truth values: 0 or 1 in eax ---

  void truth(const Syntax& syntax) {
    if (syntax.kind == Syntax::Kind::boolean) {
      code_.bytes({0xb8}).number(static_cast<std::uint32_t>(syntax.value));  // mov $N,%eax
    } else if (syntax.kind == Syntax::Kind::unary) {
      truth(*syntax.left);
      code_.bytes({0x83, 0xf0, 1});  // xor $1,%eax
    } else if (syntax.op <= Operator::all_of) {
      logic(syntax);
    } else if (type_of(*syntax.left) == ValueType::boolean) {
      truth(*syntax.left);
      push();
      truth(*syntax.right);
      pop_left();
      code_.bytes({0x39, 0xc8});  // cmp %ecx,%eax
      set_if(condition_of(syntax.op));
    } else {
      comparison(syntax);
    }
  }

  void logic(const Syntax& syntax) {
    ForwardJumps decided;
    truth(*syntax.left);
    code_.bytes({0x85, 0xc0});  // test %eax,%eax
    code_.jump_if(syntax.op == Operator::any_of ? if_not_zero : if_zero, decided);
    truth(*syntax.right);
    code_.land(decided);
  }

  void comparison(const Syntax& syntax) {
    Missing missing{{}, pushed_};
    Missing* const outer = std::exchange(missing_, &missing);
    const bool compares_reals = is_real(*syntax.left) || is_real(*syntax.right);
    both(syntax, compares_reals);
    missing_ = outer;
    if (compares_reals) {
      to_real_registers();
      code_.bytes({0x66, 0x0f, 0x2e, 0xc1});  // ucomisd %xmm1,%xmm0
    } else {
      code_.bytes({0x48, 0x39, 0xc8});  // cmp %rcx,%rax
    }
    set_if(compares_reals ? real_condition_of(syntax.op) : condition_of(syntax.op));
    if (missing.jumps.places.empty()) return;
    ForwardJumps done;
    code_.jump(done);
    code_.land(missing.jumps);
    code_.bytes({0x31, 0xc0});  // xor %eax,%eax
    code_.land(done);
  }

  void set_if(unsigned condition) {
    code_.bytes({0x0f, 0x90 | condition, 0xc0}).bytes({0x0f, 0xb6, 0xc0});  // setCC %al; movzbl %al,%eax
  }

  // --- numbers: in rax; for real numbers their bits ---

  void number(const Syntax& syntax, bool as_real) {
    if (!as_real) return quantity(syntax);
    if (is_real(syntax)) return real(syntax);
    quantity(syntax);
    code_.bytes({0xf2, 0x48, 0x0f, 0x2a, 0xc0});  // cvtsi2sd %rax,%xmm0
    from_real_register();
  }

  void quantity(const Syntax& syntax) {
    if (syntax.kind == Syntax::Kind::field) {
      const MachineField& field = field_of(syntax);
      // mov(slq) N(%rdi),%rax
      memory({0x48, field.form == MachineForm::half ? 0x63u : 0x8bu}, field);
    } else if (syntax.kind == Syntax::Kind::unary) {
      quantity(*syntax.left);
      code_.bytes({0x48, 0xf7, 0xd8});  // neg %rax
      missing_if(if_overflow);
    } else if (syntax.kind == Syntax::Kind::binary) {
      both(syntax, false);
      arithmetic(syntax.op);
    } else {
      constant(syntax);
    }
  }

  void real(const Syntax& syntax) {
    if (syntax.kind == Syntax::Kind::field) {
      real_field(field_of(syntax));
    } else if (syntax.kind == Syntax::Kind::unary) {
      real(*syntax.left);
      code_.bytes({0x48, 0x0f, 0xba, 0xf8, 63});  // btc $63,%rax: the sign
    } else if (syntax.kind == Syntax::Kind::binary) {
      both(syntax, true);
      real_arithmetic(syntax);
    } else {
      code_.bytes({0x48, 0xb8}).number(syntax.value);  // movabs $N,%rax
    }
  }

  void real_field(const MachineField& field) {
    if (field.form == MachineForm::short_real) {
      memory({0xf3, 0x0f, 0x5a}, field);  // cvtss2sd N(%rdi),%xmm0
      from_real_register();
    } else {
      memory({0x48, 0x8b}, field);  // mov N(%rdi),%rax
    }
    missing_unless_finite();
  }

  void real_arithmetic(const Syntax& syntax) {
    to_real_registers();
    switch (syntax.op) {
      case Operator::plus:
        code_.bytes({0xf2, 0x0f, 0x58, 0xc1});  // addsd %xmm1,%xmm0
        break;
      case Operator::minus:
        code_.bytes({0xf2, 0x0f, 0x5c, 0xc1});  // subsd
        break;
      case Operator::times:
        code_.bytes({0xf2, 0x0f, 0x59, 0xc1});  // mulsd
        break;
      case Operator::divided:
        code_.bytes({0xf2, 0x0f, 0x5e, 0xc1});  // divsd
        break;
      default:
        expressions::fail(syntax.operator_begin,
                          "'%' of numbers with a fraction; probes have it of whole ones only");
    }
    from_real_register();
    missing_unless_finite();
  }

  void to_real_registers() {
    code_.bytes({0x66, 0x48, 0x0f, 0x6e, 0xc0}).bytes({0x66, 0x48, 0x0f, 0x6e, 0xc9});  // movq to xmm0, xmm1
  }
  void from_real_register() { code_.bytes({0x66, 0x48, 0x0f, 0x7e, 0xc0}); }  // movq %xmm0,%rax

  void missing_unless_finite() {
    code_.bytes({0x48, 0x89, 0xc1}).bytes({0x48, 0xc1, 0xe9, 52});  // mov %rax,%rcx; shr $52,%rcx
    code_.bytes({0x81, 0xe1}).number(std::uint32_t{0x7ff});         // and $0x7ff,%ecx
    code_.bytes({0x81, 0xf9}).number(std::uint32_t{0x7ff});         // cmp $0x7ff,%ecx
    missing_if(if_zero);
  }

  /// Appends an instruction with the field as its operand in memory.
  void memory(std::initializer_list<unsigned> instruction, const MachineField& field) {
    places_ |= 1u << field.place;
    const auto distance = static_cast<std::int32_t>(field.place * 8);
    code_.bytes(instruction).bytes({0x87}).number(distance);
  }

  void constant(const Syntax& syntax) {
    constexpr double exact = 9007199254740992.0;  // 2^53: beyond, the number as written is not known exactly
    if (std::abs(syntax.value) > exact)
      expressions::fail(syntax.begin, "{} is too large for a probe", shown(syntax));
    code_.bytes({0x48, 0xb8}).number(static_cast<std::int64_t>(syntax.value));  // movabs $N,%rax
  }

  // The left operand in rax, the right one in rcx.
  void both(const Syntax& syntax, bool as_reals) {
    number(*syntax.left, as_reals);
    push();
    number(*syntax.right, as_reals);
    pop_left();
  }

  void arithmetic(Operator op) {
    if (op == Operator::divided || op == Operator::modulo) return divide(op);
    if (op == Operator::plus) code_.bytes({0x48, 0x01, 0xc8});         // add %rcx,%rax
    if (op == Operator::minus) code_.bytes({0x48, 0x29, 0xc8});        // sub %rcx,%rax
    if (op == Operator::times) code_.bytes({0x48, 0x0f, 0xaf, 0xc1});  // imul %rcx,%rax
    missing_if(if_overflow);
  }

  // The instruction traps for a divisor of 0, and for the least number divided by -1.
  void divide(Operator op) {
    ForwardJumps usual;
    ForwardJumps done;
    code_.bytes({0x48, 0x85, 0xc9});  // test %rcx,%rcx
    missing_if(if_zero);
    code_.bytes({0x48, 0x83, 0xf9, 0xff});  // cmp $-1,%rcx
    code_.jump_if(if_not_zero, usual);
    if (op == Operator::divided) {
      code_.bytes({0x48, 0xf7, 0xd8});  // neg %rax
      missing_if(if_overflow);
    } else {
      code_.bytes({0x31, 0xc0});  // xor %eax,%eax
    }
    code_.jump(done);
    code_.land(usual);
    code_.bytes({0x48, 0x99}).bytes({0x48, 0xf7, 0xf9});          // cqto; idiv %rcx
    if (op == Operator::modulo) code_.bytes({0x48, 0x89, 0xd0});  // mov %rdx,%rax
    code_.land(done);
  }

  void missing_if(unsigned condition) {
    ForwardJumps there;
    code_.jump_if(condition ^ 1u, there);
    // Both ways must have the same count of numbers on the stack where they meet.
    if (const unsigned left = pushed_ - missing_->pushed; left > 0)
      code_.bytes({0x48, 0x8d, 0xa4, 0x24}).number(left * 8u);  // lea N(%rsp),%rsp
    code_.jump(missing_->jumps);
    code_.land(there);
  }

  void push() {
    code_.bytes({0x50});  // push %rax
    ++pushed_;
  }
  void pop_left() {
    code_.bytes({0x48, 0x89, 0xc1}).bytes({0x58});  // mov %rax,%rcx; pop %rax
    --pushed_;
  }

  std::span<const MachineField> fields_;
  Code code_;
  Missing* missing_{nullptr};
  unsigned pushed_{0};
  std::uint32_t places_{0};
};

}  // namespace

MachineCode compile_to_machine_code(std::string_view text, std::span<const ValueType> allowed,
                                    std::span<const MachineField> fields) {
  const auto syntax = expressions::parse(text);
  return Compiler(fields).run(*syntax, allowed);
}

}  // namespace eventspace
