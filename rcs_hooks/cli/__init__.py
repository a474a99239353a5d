"""The command `rcs`: one file a command, each returns an exit status."""
