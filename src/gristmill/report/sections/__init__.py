"""The sections of a report, a file each: a function from what is known to a section, or None where there is none."""
