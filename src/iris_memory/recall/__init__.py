"""Recall, pure: columns of one person's memory, the lexical index, ranking, the pipeline and its explanation."""
