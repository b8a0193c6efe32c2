"""Documents of writing programs, books and pages: a file a form, each of which makes a `Written`."""
