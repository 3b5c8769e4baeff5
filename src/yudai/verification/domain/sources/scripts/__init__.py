"""What a script's test reaches in roundabout ways. Start with product.py: the product's names."""
