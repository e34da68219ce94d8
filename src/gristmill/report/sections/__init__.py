"""The sections of a report, a file each: a function from an evaluation to a section, or None where there is none."""
