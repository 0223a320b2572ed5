"""The library's face: `Iris` opens a store, `for_user` binds a person once."""
