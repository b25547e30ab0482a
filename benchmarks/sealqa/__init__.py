"""SealQA: questions on which search results conflict or do not help (Pham et al., 2025, arXiv 2506.01062)."""
