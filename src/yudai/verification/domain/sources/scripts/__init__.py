"""Finds what a script's test reaches indirectly. Start with `product.py`: the product's names."""
