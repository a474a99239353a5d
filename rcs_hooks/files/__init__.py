"""Files and folders: names, places, bounded reading, commits of several files, the lock, the clock, what git tracks."""
