"""The HTTP surface: the library's verbs under `/v1`, problem+json for errors, the subject from the token alone."""
