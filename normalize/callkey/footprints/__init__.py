"""What running a program touches: facts in tables, and the few languages that tables cannot describe."""
