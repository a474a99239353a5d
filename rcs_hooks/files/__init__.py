"""Files and folders: names, places, bounded reading, a commit of several files, the lock, the clock, what git tracks."""
