"""Pattern databases: keep some processes of a model, know every distance in what is left, and search with that."""

from symdmc import check, load, pattern_database, task_for

system = load("arbiter_tree", height=3)
task = task_for(system)
(initial,) = task.semantics.initial_states()

PATTERNS = {
    "two clients": ["Client0", "Client1", "Node4"],
    "the clients": ["Client*"],
    "not Client3": [process.name for process in system.processes if process.name != "Client3"],
}

print(f"{'pattern':12} {'estimate':>8} {'table':>12} {'length':>7} {'states met':>11}")
for name, pattern in PATTERNS.items():
    database = pattern_database(task, keep=pattern)
    result = check(task, heuristic=database, time_limit=600)
    nodes = f"{len(database.table):,} nodes"
    print(f"{name:12} {database.distance(initial):8} {nodes:>12} {result.length:7} {result.stored:11,}")

print()
print(
    "No estimate exceeds the length, so every trace is a shortest one; the larger they are, the fewer states A* meets."
)
