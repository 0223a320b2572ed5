"""The surface for assistants that speak the Model Context Protocol: ten typed tools over the same flows."""
