"""Lead a task through its phases: artifacts open the edges of its lifecycle, and commands take them."""
