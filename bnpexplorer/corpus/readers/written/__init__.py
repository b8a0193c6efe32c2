"""Documents of writing programs, books and pages: a module a form, which makes a `Written`."""
