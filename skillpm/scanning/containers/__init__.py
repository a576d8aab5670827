"""What is inside other files: archives, documents, pictures, notebooks, compiled code.

`opening.parts_of` looks into one file and says which files and texts it holds (`Part`) and what
is odd about the container itself (`Note`). Nothing is written to a disk, run, imported or
unpickled, and everything has a bound: what is left out for one is noted.
"""
