"""`python -m memkit` is `memkit`."""

from memkit.entrances.cli import main

if __name__ == "__main__":
    main()
