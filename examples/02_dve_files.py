"""Models in DVE files: ask for an error condition in words of the model, or for steps that cannot be computed."""

from pathlib import Path

from symdmc import check, load

HERE = Path(__file__).parent

system = load(HERE / "peterson_swapped.dve")
result = check(system, error="P0.critical and P1.critical")
print(f"Peterson's algorithm with two lines swapped: {result.verdict.value}.")
if result.trace is not None:
    print(f"A shortest trace has {result.length} steps:")
    for step in result.trace:
        stored = [f"{name} = {now}" for name, _, now in step.changes if isinstance(now, int)]
        print(f"  {step.label:28} {', '.join(stored)}".rstrip())

print()
result = check(load(HERE / "bounded_buffer.dve"), fault=True)
print(f"The bounded buffer, asked for faults: {result.verdict.value}.")
if result.trace is not None and result.faults is not None:
    print(f"After {result.length} steps a producer fails: {result.faults.reason}.")
