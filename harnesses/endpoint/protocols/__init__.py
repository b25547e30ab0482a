"""Translation between the house's messages and what a server speaks; no network here."""
