"""The test support kit: real git, web and hub servers on loopback, archives, faults and guards.

Import from the modules: `from support.gitrepo import GitRepo`. Nothing is re-exported here.
"""
