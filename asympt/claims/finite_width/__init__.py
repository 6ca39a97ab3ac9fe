"""Claims of all sources that random networks of finite width decide."""
