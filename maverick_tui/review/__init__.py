"""What runs have changed, out of their journals and the snapshots of their folders: seen, traced, taken back."""
