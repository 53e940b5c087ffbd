"""What a Memory is asked about its decisions.

`Deciding` holds the questions (what was decided, what is in force, when it changed, how it turned out); Memory is made
of it. `Tripwires` is `mem.tripwires`. Both only bring together what lower floors know: the catalog, the facts at hand,
what was acknowledged. `Exchanging` adds what a Memory takes in from other tools and gives to them; `importing` and
`exporting` do it, batch by batch and file by file.
"""
