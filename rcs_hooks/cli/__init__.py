"""The command `rcs`: one module for each command; `build` returns its parser, `run` its exit status."""
