"""Model families: the same system in any size. Here, how the shortest error trace of an arbiter tree grows."""

from symdmc import Verdict, check, load
from symdmc.reader.families import families

print("The families that come with symdmc:")
for family in families():
    defaults = ", ".join(f"{p.name}={p.default_text}" for p in family.parameters if p.default_text is not None)
    print(f"  {family.name}({defaults})")

print("\nA tree of arbiters with a faulty client:")
for height in (2, 3):
    system = load("arbiter_tree", height=height)
    result = check(system)
    print(f"  height {height}, {len(system.processes)} processes: {result.length} steps to the error")

result = check("arbiter_tree:height=3,faulty=false")
assert result.verdict is Verdict.SAFE
print(f"\nWithout the fault, height 3: {result.verdict.value}, after a look at all {result.stored:,} states.")
