from tests.skills.desk import desk

__all__ = ["desk"]
