"""The demo: real data that every machine has, and a fair comparison."""
