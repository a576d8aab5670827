"""What shell scripts and command lines do.

`reading` turns text into statements (`grammar`), `machine` plays them through with abstract values
(`words`) in place of real ones, and tables of commands say which acts each command carries out.
"""
