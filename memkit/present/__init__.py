"""Results made visible, never computing.

Each result type has one module here that says what is shown of it, in a small vocabulary of blocks (`blocks`): a card,
a grid, a list of facts, a chip. Two writers turn blocks into output: `terminal` into plain text of 100 columns, and
the templates into script-free HTML. Both get the same blocks, so they say the same things.

What this floor promises, and how it is checked (tests/present):

- Text that came from outside neither executes nor breaks the layout. It is made visible once, in `safe` (control and
  direction characters are escaped, lengths bounded), and hardened once more on its way into HTML, in `markup`.
- The HTML is complete without its stylesheet, because untrusted notebooks and code hosts strip it: every fact is text,
  every shape has a word beside it, nothing needs colour.
- It stays below 200 KB whatever it shows, and says how much was left out.
- It is made for light and dark: text takes the colour of its surroundings, tints are translucent.

`import memkit.present` tells `memkit.display` who draws what; the template library loads with the first drawing.
"""

from __future__ import annotations

from memkit.present import register as register
