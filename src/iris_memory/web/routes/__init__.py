"""One module per part of the pages. A route reads, acts through the library, and says what happened."""
