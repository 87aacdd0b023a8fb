"""A compiled task translated into machine code: the same image, the same successors in the same order, much faster.

The stack programs of the image become straight-line code by running them on a stack of names instead of values. It
pays for long searches only, so the loops start with the interpreter of `machine.machine` and change over on the way.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import llvmlite.binding as llvm

from symdmc.kernel.machine import image as at
from symdmc.kernel.machine import opcodes as op
from symdmc.kernel.machine.compiler import CompiledTask
from symdmc.kernel.machine.machine import TROUBLE_SHIFT

_COMPARISONS = {
    op.EQUAL: "eq",
    op.NOT_EQUAL: "ne",
    op.LESS: "slt",
    op.LESS_EQUAL: "sle",
    op.GREATER: "sgt",
    op.GREATER_EQUAL: "sge",
}
_WRAPPING = {op.ADD: "add", op.SUBTRACT: "sub", op.MULTIPLY: "mul"}
_BITWISE = {op.BIT_AND: "and", op.BIT_XOR: "xor", op.BIT_OR: "or"}
_OPERANDS = {
    **dict.fromkeys((op.CONST, op.JUMP, op.JUMP_IF_FALSE, op.SKIP_IF_FALSE, op.SKIP_IF_TRUE, op.STORE), 1),
    **dict.fromkeys((op.CELL_BEFORE, op.CELL_NOW, op.STORE_CELL), 2),
    **dict.fromkeys((op.IS_BEFORE, op.IS_NOW, op.SET), 3),
    **dict.fromkeys((op.LOAD_BEFORE, op.LOAD_NOW), 4),
}


@dataclass(frozen=True, slots=True)
class NativeCode:
    """Machine code of one task; the addresses stay valid as long as this object lives."""

    successors: int
    """i64 (state, successors, records): writes what `machine.expand` writes."""
    is_error: int
    """i64 (state): 1 where the error condition holds."""
    engine: Any
    """Owns the code (llvmlite is untyped)."""


def translate(task: CompiledTask) -> NativeCode:
    """The machine code of a compiled task for this machine."""
    llvm.initialize_native_target()
    llvm.initialize_native_asmprinter()
    module = llvm.parse_assembly(_Module(task).text())
    target = llvm.Target.from_default_triple().create_target_machine(
        cpu=llvm.get_host_cpu_name(), features=llvm.get_host_cpu_features().flatten(), opt=2
    )
    options = llvm.create_pipeline_tuning_options(speed_level=1)
    passes = llvm.create_pass_builder(target, options)
    passes.getModulePassManager().run(module, passes)
    engine = llvm.create_mcjit_compiler(module, target)
    engine.finalize_object()
    return NativeCode(engine.get_function_address("successors"), engine.get_function_address("is_error"), engine)


class _Module:
    """The text of the module: one function for the successors, small ones for what all transitions share."""

    def __init__(self, task: CompiledTask) -> None:
        self.task = task
        self.code: list[int] = task.image.tolist()
        self.words = task.packing.words

    def text(self) -> str:
        """The whole module in LLVM's assembly language."""
        return "\n".join(
            (
                self._table(),
                self._test("is_error", at.ERROR, at_now=False),
                self._test("is_committed", at.COMMITMENT, at_now=False),
                self._test("satisfies_invariant", at.INVARIANT, at_now=True),
                self._successors(),
            )
        )

    def _table(self) -> str:
        """Word, shift, mask and low of every variable, for cells that are named by a computed index."""
        start = self.code[at.FIELDS]
        numbers = [
            self.code[start + variable * at.FIELD_SIZE + k]
            for variable in range(len(self.task.packing.fields))
            for k in range(4)
        ]
        listed = ", ".join(f"i64 {number}" for number in numbers)
        return f"@fields = private constant [{len(numbers)} x i64] [{listed}]"

    def _test(self, name: str, program: int, *, at_now: bool) -> str:
        """i64 (before, now): FINE where the program yields true, FORBIDDEN where false, FAULT."""
        body = _Function(self.code, self.words, "%now" if at_now else "%before")
        result = body.program(self.code[program], self.code[program + 1], "fault", "fault")
        if result is None:
            body.emit(f"ret i64 {op.FINE if at_now else op.FORBIDDEN}")
        else:
            truth = body.name(f"icmp ne i64 {result}, 0")
            body.emit(f"ret i64 {body.pick(truth, op.FINE, op.FORBIDDEN)}")
        body.label("fault")
        body.emit(f"ret i64 {op.FAULT}")
        return body.text(f"define private i64 @{name}_(ptr noalias %before, ptr noalias %now)") + (
            f"\ndefine i64 @{name}(ptr %state) {{\n"
            f"%ended = call i64 @{name}_(ptr %state, ptr %state)\n%fine = icmp eq i64 %ended, {op.FINE}\n"
            "%truth = zext i1 %fine to i64\nret i64 %truth\n}"
        )

    def _successors(self) -> str:
        body = _Function(self.code, self.words, "%now")
        body.emit("%count = alloca i64", "%trouble = alloca i64")
        body.emit("store i64 0, ptr %count", f"store i64 {op.FINE}, ptr %trouble")
        committed = None
        if self.code[at.COMMITMENT] < self.code[at.COMMITMENT + 1]:
            truth = body.name("call i64 @is_committed(ptr %before)")
            committed = body.name(f"icmp ne i64 {truth}, 0")
        for d in range(self.code[at.DISPATCHERS]):
            self._dispatcher(body, self.code[at.DISPATCH] + d * at.DISPATCHER_SIZE, committed)
        count, trouble = body.name("load i64, ptr %count"), body.name("load i64, ptr %trouble")
        above = body.name(f"shl i64 {trouble}, {TROUBLE_SHIFT}")
        body.emit(f"ret i64 {body.name(f'or i64 {count}, {above}')}")
        return body.text("define i64 @successors(ptr noalias %before, ptr noalias %after, ptr noalias %records)")

    def _dispatcher(self, body: _Function, dispatcher: int, committed: str | None) -> None:
        """Try the records for the location of one process."""
        word, shift, mask, table, places = self.code[dispatcher : dispatcher + at.DISPATCHER_SIZE]
        done = body.fresh("done")
        location = body.field(word, shift, mask, 0)
        labels = {place: body.fresh("place") for place in range(places)}
        cases = " ".join(f"i64 {place}, label %{label}" for place, label in labels.items())
        body.emit(f"switch i64 {location}, label %{done} [{cases}]")
        for place, label in labels.items():
            body.label(label)
            for entry in range(self.code[table + place], self.code[table + place + 1]):
                self._attempt(body, self.code[entry], committed)
            body.emit(f"br label %{done}")
        body.label(done)

    def _attempt(self, body: _Function, record: int, committed: str | None) -> None:
        """Write the successor and go on, or leave at the first thing that forbids the transition."""
        following, fault, outside = body.fresh("next"), body.fresh("fault"), body.fresh("outside")
        if committed is not None and self.code[record + at.YIELDS]:
            body.unless(committed, following)
        stores = record + at.RECORD + at.TRIPLE * self.code[record + at.TESTS]
        for word, mask, value in self._triples(record + at.RECORD, self.code[record + at.TESTS]):
            masked = body.name(f"and i64 %w{word}, {mask}")
            body.unless(body.name(f"icmp ne i64 {masked}, {value}"), following)
        guard = body.program(self.code[record + at.GUARD], self.code[record + at.GUARD + 1], fault, outside)
        if guard is not None:
            body.unless(body.name(f"icmp eq i64 {guard}, 0"), following)
        count = body.name("load i64, ptr %count")
        target = body.name(f"mul i64 {count}, {self.words}")
        now = body.name(f"getelementptr i64, ptr %after, i64 {target}")
        body.start_writing(now)
        body.program(self.code[record + at.EFFECT], self.code[record + at.EFFECT + 1], fault, outside)
        for word, mask, value in self._triples(stores, self.code[record + at.STORES]):
            body.overwrite(word, mask, value)
        if self.code[at.INVARIANT] < self.code[at.INVARIANT + 1]:
            ended = body.name(f"call i64 @satisfies_invariant_(ptr %before, ptr {now})")
            body.unless(body.name(f"icmp eq i64 {ended}, {op.FORBIDDEN}"), following)
            body.unless(body.name(f"icmp eq i64 {ended}, {op.FAULT}"), fault)
        place = body.name(f"getelementptr i64, ptr %records, i64 {count}")
        body.emit(f"store i64 {record}, ptr {place}")
        body.emit(f"store i64 {body.name(f'add i64 {count}, 1')}, ptr %count", f"br label %{following}")
        for label, ended_as in ((fault, op.FAULT), (outside, op.OUTSIDE)):
            body.label(label)
            worst = body.name("load i64, ptr %trouble")
            more = body.name(f"call i64 @llvm.smax.i64(i64 {worst}, i64 {ended_as})")
            body.emit(f"store i64 {more}, ptr %trouble", f"br label %{following}")
        body.label(following)

    def _triples(self, start: int, count: int) -> Iterator[Sequence[int]]:
        for k in range(count):
            yield self.code[start + k * at.TRIPLE : start + (k + 1) * at.TRIPLE]


class _Function:
    """The text of one function, grown line by line; names and labels are numbered."""

    def __init__(self, code: Sequence[int], words: int, now: str) -> None:
        self.code = code
        self.words = words
        self.now = now
        self.lines: list[str] = []
        self.used = 0
        self.deepest = 0
        self.ended = False

    def text(self, head: str) -> str:
        """The function with the words of the state loaded and the slots for values that cross labels reserved."""
        start = [f"%slot{k} = alloca i64" for k in range(self.deepest + 1)]
        for word in range(self.words):
            start += [f"%p{word} = getelementptr i64, ptr %before, i64 {word}", f"%w{word} = load i64, ptr %p{word}"]
        return "\n".join((f"{head} {{", "entry:", *start, *self.lines, "}"))

    # ---- lines

    def emit(self, *lines: str) -> None:
        """Add lines; nothing after the end of a block is kept until the next label."""
        for line in lines:
            if not self.ended:
                self.lines.append(line)
            self.ended = self.ended or line.startswith(("br ", "ret ", "switch "))

    def name(self, instruction: str) -> str:
        """Add an instruction; returns the name of its value."""
        self.used += 1
        self.emit(f"%v{self.used} = {instruction}")
        return f"%v{self.used}"

    def fresh(self, stem: str) -> str:
        """A label not used yet."""
        self.used += 1
        return f"{stem}{self.used}"

    def label(self, label: str) -> None:
        """Start a block; the one before falls through."""
        if not self.ended:
            self.lines.append(f"br label %{label}")
        self.ended = False
        self.lines.append(f"{label}:")

    def unless(self, condition: str, elsewhere: str) -> None:
        """Go elsewhere where the condition holds, else on."""
        here = self.fresh("on")
        self.emit(f"br i1 {condition}, label %{elsewhere}, label %{here}")
        self.label(here)

    def pick(self, condition: str, yes: int, no: int) -> str:
        """One of two constants."""
        return self.name(f"select i1 {condition}, i64 {yes}, i64 {no}")

    # ---- fields

    def field(self, word: int, shift: int, mask: int, low: int, *, now: bool = False) -> str:
        """The value of a variable whose place is known."""
        source = self.name(f"load i64, ptr {self._place(word)}") if now else f"%w{word}"
        bits = self.name(f"and i64 {self.name(f'lshr i64 {source}, {shift}')}, {mask}")
        return self.name(f"add i64 {bits}, {low}") if low else bits

    def overwrite(self, word: int, mask: int, value: str | int) -> None:
        """Overwrite bits of the state that is written."""
        place = self._place(word)
        kept = self.name(f"and i64 {self.name(f'load i64, ptr {place}')}, {~mask}")
        self.emit(f"store i64 {self.name(f'or i64 {kept}, {value}')}, ptr {place}")

    def start_writing(self, now: str) -> None:
        """From here on the state at `now` is written; it starts as a copy of the state before the step."""
        self.now = now
        for word in range(self.words):
            self.emit(f"store i64 %w{word}, ptr {self._place(word)}")

    def _place(self, word: int | str) -> str:
        return self.name(f"getelementptr i64, ptr {self.now}, i64 {word}")

    def _looked_up(self, variable: str, entry: int) -> str:
        position = self.name(f"add i64 {self.name(f'mul i64 {variable}, 4')}, {entry}")
        return self.name(f"load i64, ptr {self.name(f'getelementptr i64, ptr @fields, i64 {position}')}")

    def _cell(self, variable: str, *, now: bool) -> str:
        """The value of a variable whose number is computed."""
        word, shift, mask, low = (self._looked_up(variable, entry) for entry in range(4))
        place = self.name(f"getelementptr i64, ptr {self.now if now else '%before'}, i64 {word}")
        shifted = self.name(f"lshr i64 {self.name(f'load i64, ptr {place}')}, {shift}")
        return self.name(f"add i64 {self.name(f'and i64 {shifted}, {mask}')}, {low}")

    # ---- programs

    def program(self, start: int, end: int, fault: str, outside: str) -> str | None:
        """Add the code of a stack program; returns the name of its result, if it leaves one."""
        stack: list[str] = []
        targets = {t: self.fresh("at") for t in self._targets(start, end)}
        carrying: dict[int, int] = {}
        pc = start
        while pc < end:
            if pc in targets:
                self._join(targets[pc], pc in carrying, carrying.get(pc, 0), stack)
            opcode = self.code[pc]
            operands = self.code[pc + 1 : pc + 1 + _OPERANDS.get(opcode, 0)]
            pc += 1 + len(operands)
            match opcode:
                case op.JUMP:
                    carrying[operands[0]] = self._spill(stack)
                    self.emit(f"br label %{targets[operands[0]]}")
                    stack.pop()
                case op.SKIP_IF_FALSE | op.SKIP_IF_TRUE:
                    truth = self.name(f"icmp ne i64 {stack[-1]}, 0")
                    stack[-1] = self.name(f"zext i1 {truth} to i64")
                    carrying[operands[0]] = self._spill(stack)
                    if opcode == op.SKIP_IF_FALSE:
                        truth = self.name(f"xor i1 {truth}, true")
                    self.unless(truth, targets[operands[0]])
                    stack.pop()
                case op.JUMP_IF_FALSE:
                    self.unless(self.name(f"icmp eq i64 {stack.pop()}, 0"), targets[operands[0]])
                case op.STORE | op.STORE_CELL:
                    self._store(opcode, operands, stack, fault, outside)
                case op.SET:
                    self.overwrite(*operands)
                case _:
                    self._push(opcode, operands, stack, fault)
        if end in targets:
            self._join(targets[end], end in carrying, carrying.get(end, 0), stack)
        return stack[-1] if stack else None

    def _targets(self, start: int, end: int) -> set[int]:
        found = set()
        pc = start
        while pc < end:
            opcode = self.code[pc]
            if opcode in (op.JUMP, op.JUMP_IF_FALSE, op.SKIP_IF_FALSE, op.SKIP_IF_TRUE):
                found.add(self.code[pc + 1])
            pc += 1 + _OPERANDS.get(opcode, 0)
        return found

    def _spill(self, stack: list[str]) -> int:
        """Keep the top of the stack in the slot of its depth, to be read after a label; returns the slot."""
        slot = len(stack) - 1
        self.deepest = max(self.deepest, slot)
        self.emit(f"store i64 {stack[-1]}, ptr %slot{slot}")
        return slot

    def _join(self, label: str, carries: bool, slot: int, stack: list[str]) -> None:
        """Start a block that several branches lead to; a value that all of them leave is read from its slot."""
        if carries and len(stack) > slot:
            self._spill(stack)
            stack.pop()
        self.label(label)
        if carries:
            stack.append(self.name(f"load i64, ptr %slot{slot}"))

    def _push(self, opcode: int, operands: Sequence[int], stack: list[str], fault: str) -> None:
        """An instruction that leaves a value."""
        match opcode:
            case op.CONST:
                stack.append(str(operands[0]))
            case op.LOAD_BEFORE | op.LOAD_NOW:
                stack.append(self.field(*operands, now=opcode == op.LOAD_NOW))
            case op.IS_BEFORE | op.IS_NOW:
                word, mask, value = operands
                source = f"%w{word}" if opcode == op.IS_BEFORE else self.name(f"load i64, ptr {self._place(word)}")
                stack.append(self._truth("eq", self.name(f"and i64 {source}, {mask}"), str(value)))
            case op.CELL_BEFORE | op.CELL_NOW:
                variable = self._variable(stack.pop(), operands, fault)
                stack.append(self._cell(variable, now=opcode == op.CELL_NOW))
            case op.NOT:
                stack.append(self._truth("eq", stack.pop(), "0"))
            case op.TRUTH:
                stack.append(self._truth("ne", stack.pop(), "0"))
            case op.NEGATE:
                stack.append(self._wrapped(self.name(f"sub i64 0, {stack.pop()}")))
            case op.INVERT:
                stack.append(self.name(f"xor i64 {stack.pop()}, -1"))
            case _:
                right, left = stack.pop(), stack.pop()
                stack.append(self._binary(opcode, left, right, fault))

    def _binary(self, opcode: int, left: str, right: str, fault: str) -> str:
        if opcode in _COMPARISONS:
            return self._truth(_COMPARISONS[opcode], left, right)
        if opcode in _WRAPPING:
            return self._wrapped(self.name(f"{_WRAPPING[opcode]} i64 {left}, {right}"))
        if opcode in _BITWISE:
            return self.name(f"{_BITWISE[opcode]} i64 {left}, {right}")
        if opcode in (op.DIVIDE, op.REMAINDER):
            self.unless(self.name(f"icmp eq i64 {right}, 0"), fault)
            instruction = "sdiv" if opcode == op.DIVIDE else "srem"
            return self._wrapped(self.name(f"{instruction} i64 {left}, {right}"))
        distance = self.name(f"and i64 {right}, 31")
        if opcode == op.SHIFT_LEFT:
            return self._wrapped(self.name(f"shl i64 {left}, {distance}"))
        return self.name(f"ashr i64 {left}, {distance}")

    def _truth(self, comparison: str, left: str, right: str) -> str:
        return self.name(f"zext i1 {self.name(f'icmp {comparison} i64 {left}, {right}')} to i64")

    def _wrapped(self, value: str) -> str:
        """The value cut to 32 bits with sign."""
        return self.name(f"sext i32 {self.name(f'trunc i64 {value} to i32')} to i64")

    def _variable(self, index: str, operands: Sequence[int], fault: str) -> str:
        """The number of the cell that an index names; an index outside the array is a fault."""
        first, cells = operands
        self.unless(self.name(f"icmp uge i64 {index}, {cells}"), fault)
        return self.name(f"add i64 {index}, {first}")

    def _store(self, opcode: int, operands: Sequence[int], stack: list[str], fault: str, outside: str) -> None:
        """Cut a value to the type of a variable and write it."""
        variable = str(operands[0])
        if opcode == op.STORE_CELL:
            variable = self._variable(stack.pop(), operands, fault)
        # All cells of an array are of one type, but value analysis may know different values of each.
        field = self.code[at.FIELDS] + operands[0] * at.FIELD_SIZE
        low, high, wraps = self.code[field + at.TYPE_LOW : field + at.TYPE_WRAPS + 1]
        value = self._cut(stack.pop(), low, high, bool(wraps), fault)
        if opcode == op.STORE:
            word, shift, mask, lowest = self.code[field : field + 4]
            highest = str(self.code[field + at.DOMAIN_HIGH])
            bits = self.name(f"sub i64 {value}, {lowest}")
            self.unless(self.name(f"icmp slt i64 {value}, {lowest}"), outside)
            self.unless(self.name(f"icmp sgt i64 {value}, {highest}"), outside)
            self.overwrite(word, mask << shift, self.name(f"shl i64 {bits}, {shift}"))
            return
        word_name, shift_name, mask_name, low_name = (self._looked_up(variable, entry) for entry in range(4))
        bits = self.name(f"sub i64 {value}, {low_name}")
        self.unless(self.name(f"icmp ugt i64 {bits}, {mask_name}"), outside)
        hole = self.name(f"xor i64 {self.name(f'shl i64 {mask_name}, {shift_name}')}, -1")
        place = self._place(word_name)
        kept = self.name(f"and i64 {self.name(f'load i64, ptr {place}')}, {hole}")
        moved = self.name(f"shl i64 {bits}, {shift_name}")
        self.emit(f"store i64 {self.name(f'or i64 {kept}, {moved}')}, ptr {place}")

    def _cut(self, value: str, low: int, high: int, wraps: bool, fault: str) -> str:
        """The value as a variable of the type stores it."""
        if not wraps:
            self.unless(self.name(f"icmp slt i64 {value}, {low}"), fault)
            self.unless(self.name(f"icmp sgt i64 {value}, {high}"), fault)
            return value
        span = high - low + 1
        offset = self.name(f"sub i64 {value}, {low}")
        if span & (span - 1) == 0:
            rest = self.name(f"and i64 {offset}, {span - 1}")
        else:
            rest = self.name(f"srem i64 {offset}, {span}")
            negative = self.name(f"icmp slt i64 {rest}, 0")
            rest = self.name(f"add i64 {rest}, {self.pick(negative, span, 0)}")
        return self.name(f"add i64 {rest}, {low}")
