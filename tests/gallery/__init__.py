"""The pictures of docs/gallery.md, made from the stored outputs of the notebooks.

`make gallery` draws them anew: each output as JupyterLab would show it, in light and dark, by the system's Chromium. The
outputs are read from the notebooks and nothing is run, so a picture never shows what a notebook does not.
"""
