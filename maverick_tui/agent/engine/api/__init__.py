"""The second engine: agents that ask the model API themselves, through `maverick_tui.executor`, without a CLI."""
