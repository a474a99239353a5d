"""What a person reads in a terminal: tables, colours, widths, moments and short ids. Decides nothing, reads no file."""
