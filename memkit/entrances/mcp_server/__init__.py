"""The entrance for agents: four tools over the Model Context Protocol, spoken on stdin and stdout.

`memkit mcp serve --project P` starts it; `python -m memkit.entrances.mcp_server --project P` is the same. What it
promises:

- Consent is asked at every listing and every call: while memory is off for the project, no tool is listed and none
  answers, and the instructions say how its user switches it on.
- Three tools look, one stores, and that one only with `consensus_store: true`. What looks after a store (list, show,
  verify, repair, retention, erase, wipe, consolidate, SQL) is never a tool.
- Answers are metadata: ids, days, ages in words, scores, matched fragments, conditions with their verdicts. They are
  bounded in number and bytes, and say what was left out. Nothing of the audit log is ever in them.
- Arguments are checked in full: an unknown name or a wrong type is an error that says which.
- A store that is locked or damaged is an error of that call; the server lives on.

`arguments` says what can be asked, `answers` what comes back, `tools` asks Memory, `consent` opens and reopens it,
`serving` speaks the protocol. Checked by a client in memory, a real child process, and the inspector of the protocol.
"""
