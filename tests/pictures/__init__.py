"""Makes the pictures of README and of the package's pages from what the program prints and shows."""
