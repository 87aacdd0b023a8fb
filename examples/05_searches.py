"""Which search? Breadth-first search finds a shortest trace; depth-first search finds one sooner, but a long one."""

from symdmc import check, load

system = load("arbiter_tree", height=3)
print(f"{'search':12} {'length':>7} {'shortest':>9} {'states met':>11} {'seconds':>8}")
runs = {"bfs": check(system), "dfs": check(system, search="dfs")}
runs |= {f"rdfs, seed {seed}": check(system, search="rdfs", seed=seed) for seed in range(3)}
for name, result in runs.items():
    print(f"{name:12} {result.length:7} {result.shortest!s:>9} {result.stored:11,} {result.seconds:8.2f}")
