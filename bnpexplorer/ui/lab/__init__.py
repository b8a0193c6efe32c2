"""The widgets of the Lab: one file a demonstration, each with a function `show`."""
