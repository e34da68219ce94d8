"""What every room needs: errors, warnings, files, threads, checks of arguments, lazy names."""
