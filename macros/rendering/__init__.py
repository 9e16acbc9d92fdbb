"""Pages made from records: (library, language) → {path: Page}; opens no file, knows no MkDocs."""
