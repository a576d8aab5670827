"""What JavaScript and TypeScript do.

`machine` walks the trees of `syntax`, with `things` in place of values; tables of functions say
which acts each carries out.
"""
