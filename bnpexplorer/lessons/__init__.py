"""Guided lessons as plain text that a lecturer can edit; see the README beside the files."""

from .lesson import Lesson, LessonError, LessonStep, SetUp
from .reading import LESSON_FILES, parse, read

__all__ = ["LESSON_FILES", "Lesson", "LessonError", "LessonStep", "SetUp", "parse", "read"]
