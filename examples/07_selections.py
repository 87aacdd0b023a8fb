"""Patterns found automatically: how many variables each selection keeps, and how much A* then explores."""

from symdmc import check, load, select_patterns, task_for

system = load("arbiter_tree", height=3)
task = task_for(system)

print(f"{'selection':16} {'kept':>5} {'estimate':>8} {'length':>7} {'explored':>9}")
for selection in ("coi:1", "russian-doll", "dpr", "cegar"):
    (pattern,) = select_patterns(task, selection).patterns
    result = check(task, heuristic=f"pdb:{selection}")
    assert result.shortest
    print(f"{selection:16} {len(pattern):5} {result.h_initial:8} {result.length:7} {result.explored:9,}")

print()
print("How cegar went, from the error condition to a real trace:")
for step in select_patterns(task, "cegar").steps:
    print(f"  {step}")
