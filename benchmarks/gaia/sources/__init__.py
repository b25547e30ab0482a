"""Which of GAIA's files is read: one of the Hub's, the AgentCompass archive, or one on this machine."""
