"""Pure: probes, recorded values, and the findings from them."""
