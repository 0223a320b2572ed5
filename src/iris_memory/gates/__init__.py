"""Gates: may this memory pass. Pure, one file each; what cannot be decided is denied."""
