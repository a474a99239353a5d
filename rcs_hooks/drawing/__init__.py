"""A state machine as a picture (SVG), and as a list of its steps. Pure: no file, no clock, no environment."""
