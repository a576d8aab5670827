"""What the code of a skill does, whatever language it is written in.

A front end for each language turns source text into acts (`acts.py`); what acts mean for a user
is judged once, over all languages.
"""
