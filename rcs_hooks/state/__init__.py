"""What lies under `.rcs/state`: where it is, how it is read, and how it is changed in one commit."""
