"""Files and folders: names and places, bounded reading, a commit of several files, the lock, the clock, git's index."""
