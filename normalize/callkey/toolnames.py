"""What a tool does, judged by its name: a table of known tools, else the verbs in it."""
