"""Statistics of shares and of means: pure functions, one subject a file, each with its source."""
