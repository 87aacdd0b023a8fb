"""Which search? Breadth-first search finds a shortest trace; depth-first search finds one sooner, but a long one."""

from symdmc import check, load

system = load("arbiter_tree", height=3)
print(f"{'search':12} {'length':>7} {'shortest':>9} {'states met':>11} {'seconds':>8}")
for search, seed in (("bfs", 0), ("dfs", 0), ("rdfs", 0), ("rdfs", 1), ("rdfs", 2)):
    result = check(system, search=search, seed=seed)
    name = f"{search}, seed {seed}" if search == "rdfs" else search
    print(f"{name:12} {result.length:7} {result.shortest!s:>9} {result.stored:11,} {result.seconds:8.2f}")
