"""Guided lessons as plain text that a lecturer can edit; see the README beside the files."""

from .reading import LESSON_FILES, Lesson, LessonError, SetUp, Step, parse, read

__all__ = ["LESSON_FILES", "Lesson", "LessonError", "SetUp", "Step", "parse", "read"]
