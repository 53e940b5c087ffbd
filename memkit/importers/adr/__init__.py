"""Decision records in Markdown, in the shapes people write them, read into drafts.

Nygard and adr-tools (`## Status`, `Date:`), MADR 2 to 4 (front matter, "Decision Outcome"), log4brains (bullets under
the title, dates in the name), metadata tables, bold lines, Y-statements, and headings in seven languages. A record is
taken apart once (`reading`), and each question is asked of that by one module: `title`, `status`, `when`,
`relations`, `conclusion`; `shape` says which files are no records; `document` puts the draft together.

Rules, all of them general: what is written is kept as written beside what it was taken to mean; a day, a state or a
link that the text does not settle stays open and is listed; a day in the file's name is not the day of the decision.
"""
