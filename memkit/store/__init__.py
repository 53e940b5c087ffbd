"""Durable files: the only floor that writes truth.

What it holds. One folder per project under a root. `results/<id>.json` is the truth: one entry per file, written once,
never edited. `index.jsonl` has one slim line per entry and can be made again from the files. `_logs/` says what was
done. Everything else here is either a lock or a place where damaged bytes are kept.

What it promises. A call that returned is on disk: the entry's file, its name in the folder and its index line have
been fsynced. A crash in between leaves at most a file without a line, never a line without its file. Missing, empty,
unreadable and damaged are four different answers; only missing counts as new. Bytes that could not be read are moved
aside before anything is written in their place. Reading changes nothing.

What it does not promise. Log lines are not fsynced: a power cut may lose the last second of them. A file system whose
flock or fsync lies, and a disk that lies, are beyond it. Files are plain text for whoever can read the folder (0600 in
0700); scrubbing takes known shapes of secrets out on the way in and is no security boundary.

How it is checked. `verify` compares every file with every line and writes nothing; the tests end with `verify() == []`,
inject faults at each system call, and keep their own account of what was acknowledged.

Where things are: `paths` names files, `durable` is the one module that changes them, `lock` serialises writers,
`jsonl` reads lines with damage as data, `entries`, `index` and `audit_log` are the three kinds of file, `store` puts
them in order, `verify` and `repair` look after them. `scrub` masks secrets: its shapes are data in
`scrub_patterns.toml`, `scrub_views` reads through disguises, `scrub_names` and `scrub_values` judge what stands beside
a name.
"""
