"""Where the rows of every benchmark come from: the Hub, or files on this machine."""
