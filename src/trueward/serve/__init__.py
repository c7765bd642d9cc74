"""A study behind a URL: HTTP, keys, limits; and `Remote`, the same methods from elsewhere."""
