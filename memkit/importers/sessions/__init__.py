"""Session files of people's tools, read as `memkit.model.session.Session`.

A reader takes a file as it finds it. It streams: a session of 500 MB costs the memory of its longest line and a few
bytes for each line. It follows parent links, so that what was taken back is not what was said: only the current branch
becomes turns. Tool output, images, reasoning, side chains, and text that a tool and not a person put there are left
out. Everything left out is counted by reason, a damaged line included. A file of an unknown shape is an error that
names the shapes which are known.

`lines` reads bytes, `content` tells text from everything else in a message, `shapes` knows the formats of JSON lines,
`notes` reads Markdown, `tree` finds the branch, `reading` puts them together, `finding` turns what a person types
(a path, an id, `latest`) into a file. Nothing here writes.
"""
