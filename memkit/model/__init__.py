"""What one thing is.

This floor holds the nouns: an entry and its index line, a result, a decision, a tripwire, a token, an event, a
problem. Everything here is frozen and pure. Nothing opens a file, asks for the time or knows where a store lies, so
each rule (what a conclusion is, which words match, how a line is written) is stated once and tested by table.

Reading is tolerant: unknown fields are carried along, missing ones are None, a newer schema is named as such.
Writing is strict: a value that cannot be written exactly is refused before anything touches the disk.
"""
