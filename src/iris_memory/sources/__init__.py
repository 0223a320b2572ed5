"""Sources of owner identity: files and statements, watched cheaply, made into one corpus and swapped in whole."""
