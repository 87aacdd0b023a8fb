"""Predicates: a proof from conditions on three numbers, where keeping whole numbers would take all their values."""

from symdmc import check, load, pattern_database, task_for

system = load("flow_control", faulty=False, frames=1000)
task = task_for(system)
(initial,) = task.semantics.initial_states()

print("with no estimate:")
result = check(task, heuristic="blind")
print(f"  {result.verdict.value}, {result.explored:,} states explored")

for heuristic in ("pred:syntax,b=all", "pred:refine,b=all,r=20,stop=never"):
    result = check(task, heuristic=heuristic, certify=True)
    (selection,) = result.selections
    print(f"with {heuristic}:")
    print(f"  {result.verdict.value}, {result.explored:,} states explored, {len(selection.reasons)} predicates")
    assert result.certificate is not None

database = pattern_database(task, predicates=["3 * sent - taken > 30"])
print("with the error condition alone the initial state is", database.distance(initial), "step from an error")
