"""Stand-ins for the Python interfaces of other programs: change the import, keep the script."""
