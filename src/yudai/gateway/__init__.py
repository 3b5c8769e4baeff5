"""Model calls: one Protocol, the providers behind it, and the table of models with prices.

`port.py` is the Protocol, `catalogue.py` the models table, `domain/routing.py` decides which
provider answers a model name, `adapters/openai/gateway.py` calls OpenRouter or any compatible
server.
"""
