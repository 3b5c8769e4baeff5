"""Pure: conversations, what a message requests, milestone texts and the prompt for answers."""
