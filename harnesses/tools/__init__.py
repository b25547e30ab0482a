"""What a model may do besides answering: search, visit and browse, and the services behind them."""
