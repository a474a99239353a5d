"""The events that a client calls us for: one JSON object in, one JSON object out."""
