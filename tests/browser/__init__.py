"""What memkit shows, looked at in a real browser: JupyterLab in headless Chromium, on the loopback and nothing else.

`make browser` runs it; the ordinary suite leaves it out. A notebook is written, opened, run and looked at: what its
outputs say, what axe-core finds in them, whether a page scrolls sideways, whether anything that was stored gets to run,
whether a request wants to leave the machine. Pictures of every output land in build/browser, in light and dark, for a
person to look at.

`lab` starts the server, `desk` drives the page, `scenes` makes the stores, in the notebook's own kernel.
"""
