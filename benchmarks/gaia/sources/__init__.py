"""Where GAIA's rows come from: the Hub, the AgentCompass archive, or files on this machine."""
