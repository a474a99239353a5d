"""Native hooks for coding agents: `$skill` tokens in, workflow state on disk, a short context out."""

__version__ = "0.2.0"
