"""Small servers that behave like the engines: their paths, bodies, status codes and headers, cuts and refusals.

They do not run a model: needle questions are answered by reading what is left of the prompt, tokens are words.
"""
