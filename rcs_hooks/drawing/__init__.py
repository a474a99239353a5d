"""Pictures of a state machine: as SVG, and as text. Pure: no file, no clock, no environment."""
